import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const NAMESPACES = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
const script = path.join(import.meta.dirname, "test-namespace.sh");
const folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-namespace-"));
afterAll(() => rmSync(folder, { recursive: true }));

function possible(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  try {
    execFileSync("unshare", [...NAMESPACES, "--", "ip", "link", "set", "lo", "up"], { stdio: "ignore" });
    return true;
  } catch {
    return false; // the machine does not allow it, and then a test run does without it as well
  }
}
const inside = (command: string) => promisify(execFile)("unshare", [...NAMESPACES, "--", "bash", script, folder, "bash", "-c", command]);
const written = (name: string) => readFileSync(path.join(folder, name), "utf8").trim();

test.runIf(possible())("whatever program it is: an address and a name beyond this machine are on record, loopback is not", async () => {
  await inside(`{ echo x > /dev/udp/192.0.2.77/9; echo x > /dev/udp/127.0.0.1/9; getent hosts asked.example; getent hosts localhost; } 2>&1; true`);
  expect(written("addresses")).toBe("192.0.2.77");
  expect(new Set(written("names").split("\n"))).toEqual(new Set(["asked.example"]));
});

test.runIf(possible())("the command's exit code comes through", async () => {
  await expect(inside("exit 7")).rejects.toMatchObject({ code: 7 });
});
