import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, it } from "vitest";
import { createLog } from "../../log";
import { readAuthorities } from "./ca-file";
import { authority } from "./testing/scripted-kubelet";

const folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-ca-"));
const file = path.join(folder, "ca.crt");
afterEach(() => rmSync(file, { force: true }));
const log = createLog("silent", "test");
let now = 0;
const clock = { rate: 1, now: () => now, after: () => () => {} };

it("authorities are read again once the file changed, and kept while it cannot be read", async () => {
  const [first, second] = [(await authority("first")).certPem, (await authority("second")).certPem];
  writeFileSync(file, first);
  const authorities = readAuthorities(file, clock, log);
  writeFileSync(file, second);
  utimesSync(file, 1, 1);
  expect(authorities()).toBe(first);
  now += 61_000;
  expect(authorities()).toBe(second);
  rmSync(file);
  now += 61_000;
  expect(authorities()).toBe(second);
  writeFileSync(file, "no certificate");
  now += 61_000;
  expect(authorities()).toBe(second);
});

it("a file without a certificate is refused at the start, and named", () => {
  writeFileSync(file, "hello");
  expect(() => readAuthorities(file, clock, log)).toThrow(`--kubelet-ca ${file}`);
  rmSync(file);
  expect(() => readAuthorities(file, clock, log)).toThrow("ENOENT");
});
