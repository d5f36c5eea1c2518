import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const lockModule = pathToFileURL(path.join(import.meta.dirname, "lock.mjs")).href;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process that takes the lock of this test and then runs `program`, which may use `give`, `note` and `log`. */
function taker(program: string): ChildProcess {
  const source = `
    import { takeLock } from ${JSON.stringify(lockModule)};
    import { appendFileSync } from "node:fs";
    const log = (line) => appendFileSync(${JSON.stringify(path.join(folder, "log"))}, line + "\\n");
    const { give, note } = await takeLock(${JSON.stringify(path.join(folder, "lock"))});
    ${program}`;
  return spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["ignore", "pipe", "inherit"] });
}
const log = () => readFileSync(path.join(folder, "log"), "utf8").trim().split("\n");

test("of several processes one at a time holds the lock", async () => {
  const ended = Array.from({ length: 4 }, () => once(taker(`log("in"); await new Promise((r) => setTimeout(r, 50)); log("out"); give();`), "exit"));
  expect((await Promise.all(ended)).map(([code]: unknown[]) => code)).toEqual([0, 0, 0, 0]);
  expect(log()).toEqual(Array.from({ length: 4 }, () => ["in", "out"]).flat());
});

test("the lock of a killed process is taken over, and the command that it left running is ended", async () => {
  const holder = taker(`
    import { spawn } from "node:child_process";
    const command = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    note(command.pid);
    process.stdout.write(String(command.pid));
    setInterval(() => {}, 1000);`);
  if (holder.stdout === null) throw new Error("no stdout");
  const [printed] = (await once(holder.stdout, "data")) as [Buffer];
  const command = Number(printed.toString());
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(() => process.kill(command, 0)).not.toThrow();
  const [code] = (await once(taker(`log("taken"); give();`), "exit")) as [number];
  expect(code).toBe(0);
  expect(log()).toEqual(["taken"]);
  await expect.poll(() => isRunning(command)).toBe(false);
});

/** False too for one that has ended and whose end nobody has asked for yet. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
