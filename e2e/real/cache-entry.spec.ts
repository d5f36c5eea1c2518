import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { removeBrokenCacheEntry } from "../../server/agent/actions/remove-broken-cache-entry";
import { toolsOf } from "../../server/agent/actions/testing/tools";
import { systemClock } from "../../server/clock";
import { ORDER_VALID_MS, type WorkOrder } from "../../server/domain/actions/work-order";
import { containerdMissing, startContainerd, type OwnContainerd } from "../setup/sandboxes";
import { expect, test } from "../setup/test";

/** Broken entries beside a real runtime, whose list says which of them a live sandbox owns. */
const missing = containerdMissing();
test.skip(missing !== undefined, missing);

const RESULTS = "/var/lib/cni/results";
let runtime: OwnContainerd;
let root: string;
test.beforeAll(async () => {
  runtime = await startContainerd();
  root = mkdtempSync(path.join(os.tmpdir(), "sandglass-cache-"));
  mkdirSync(path.join(root, RESULTS), { recursive: true });
});
test.afterAll(async () => {
  await runtime?.stop();
  rmSync(root, { recursive: true, force: true });
});

const put = (name: string, text: string): string => {
  const file = path.join(root, RESULTS, name);
  writeFileSync(file, text);
  utimesSync(file, Date.now() / 1_000 - 300, Date.now() / 1_000 - 300);
  return `${RESULTS}/${name}`;
};
const order = (objects: readonly string[]): WorkOrder => ({ id: "of-the-test", node: "node-1", action: "remove-broken-cache-entry", dry: false, planVersion: "", requestedBy: "anna", issuedMs: Date.now(), expiresMs: Date.now() + ORDER_VALID_MS, params: {}, objects });

test("an empty entry of a dead sandbox is moved, one of a ready sandbox stays, and so does every whole one", async () => {
  const [live = "", dead = ""] = await runtime.runAll([{ name: "live", uid: randomUUID() }, { name: "dead", uid: randomUUID() }]);
  await runtime.killAll([dead]);
  const ofLive = put(`cbr0-${live}-eth0`, "");
  const ofDead = put(`cbr0-${dead}-eth0`, "");
  const whole = put("cbr0-other-eth0", '{"kind":"cniCacheV1"}');
  symlinkSync("/etc/hostname", path.join(root, RESULTS, "cbr0-link-eth0"));
  const { tools, told } = toolsOf({ clock: systemClock, hostRoot: root, criSocket: runtime.socket });
  const listed = await removeBrokenCacheEntry.survey({ ...order([]), dry: true }, tools);
  expect(listed.map(({ id, outcome }) => [id, outcome]).sort()).toEqual([[ofDead, "would"], [ofLive, "left"]].sort());
  await removeBrokenCacheEntry.carryOut(order([ofLive, ofDead, whole, `${RESULTS}/cbr0-link-eth0`]), tools);
  expect(told.map(({ outcome, reason }) => `${outcome}: ${reason ?? ""}`)).toEqual(["left: it is of a sandbox that is ready (default/live)", expect.stringMatching(/^done: it is empty; it is now \/var\/lib\/cni\/sandglass-quarantine\//), "left: it is whole", "left: it is a link"]);
  expect([ofLive, ofDead, whole].map((file) => existsSync(path.join(root, file)))).toEqual([true, false, true]);
  expect(readdirSync(path.join(root, "/var/lib/cni/sandglass-quarantine"))).toEqual([expect.stringMatching(new RegExp(`^\\S+Z results cbr0-${dead}-eth0$`))]);
});

test("an entry that is written or goes away between two looks is left, and no second name of it stays behind", async () => {
  const quarantine = path.join(root, "/var/lib/cni/sandglass-quarantine");
  const names = (): string[] => (existsSync(quarantine) ? readdirSync(quarantine).sort() : []);
  const before = names();
  const { tools, told } = toolsOf({ clock: systemClock, hostRoot: root, criSocket: runtime.socket });
  const meanwhile = (what: (file: string) => void) => ({ ...tools, files: { ...tools.files, link: async (from: string, to: string) => tools.files.link(from, to).then(() => what(path.join(root, from))) } });
  const written = put("cbr0-written-eth0", "");
  await removeBrokenCacheEntry.carryOut(order([written]), meanwhile((file) => writeFileSync(file, '{"kind":"cniCacheV1"}')));
  const gone = put("cbr0-gone-eth0", "");
  await removeBrokenCacheEntry.carryOut(order([gone]), meanwhile((file) => rmSync(file)));
  const listed = put("cbr0-listed-eth0", "");
  const survey = await removeBrokenCacheEntry.survey({ ...order([]), dry: true }, { ...tools, files: { ...tools.files, look: async (file: string) => tools.files.look(file).finally(() => file === listed && rmSync(path.join(root, file))) } });
  expect(told.map(({ outcome, reason }) => `${outcome}: ${reason ?? ""}`)).toEqual(["left: it was changed while it was looked at", "left: it was changed while it was looked at"]);
  expect(survey.filter(({ id }) => id === listed)).toEqual([]);
  expect([names(), existsSync(path.join(root, written))]).toEqual([before, true]);
});

test("without the runtime's word nothing is moved", async () => {
  const entry = put("cbr0-nobody-eth0", "");
  const { tools, told } = toolsOf({ clock: systemClock, hostRoot: root });
  await expect(removeBrokenCacheEntry.carryOut(order([entry]), tools)).rejects.toThrow(/socket was not found/);
  expect([told, existsSync(path.join(root, entry))]).toEqual([[], true]);
});

test("a folder that the agent's mount does not let it write to is said for each entry, and nothing is tried", async () => {
  const entry = put("cbr0-shut-eth0", "");
  execFileSync("mount", ["--bind", root, root]);
  try {
    execFileSync("mount", ["-o", "remount,ro,bind", root]);
    const { tools, told } = toolsOf({ clock: systemClock, hostRoot: root, criSocket: runtime.socket });
    const shut = { id: entry, name: entry, outcome: "left", reason: `the agent may not write to ${RESULTS} (EROFS): its mount has to be writable` };
    expect((await removeBrokenCacheEntry.survey({ ...order([]), dry: true }, tools)).filter(({ id }) => id === entry)).toEqual([shut]);
    await removeBrokenCacheEntry.carryOut(order([entry]), tools);
    expect(told).toEqual([shut]);
  } finally {
    execFileSync("umount", [root]);
  }
});
