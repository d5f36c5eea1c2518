import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { systemClock, type Clock } from "../../server/clock";
import { purgeDeadSandboxes } from "../../server/agent/actions/purge-dead-sandboxes";
import { toolsOf } from "../../server/agent/actions/testing/tools";
import { ORDER_VALID_MS, type WorkOrder } from "../../server/domain/actions/work-order";
import { containerdMissing, startContainerd, type OwnContainerd, type SandboxOf } from "../setup/sandboxes";
import { expect, test } from "../setup/test";

/** What a purge does to a real runtime with as much on it as a bad day leaves. The clock runs ahead, so that nobody waits for ten minutes. */
const missing = containerdMissing();
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

const READY = 110;
const DEAD = 600;
/** Dead sandboxes of pods that live: one whose successor is ready, and the newest of one that waits. */
const KEPT = 20;
const AHEAD_MS = 11 * 60_000;
const MAKE_TIMEOUT_MS = 600_000;
/** A daemon may serve some calls in a second; a purge asks for no more than ten. */
const LEAST_GAP_MS = 100;

const ahead: Clock = { ...systemClock, now: () => systemClock.now() + AHEAD_MS };
let runtime: OwnContainerd;
let ready: readonly string[];
let dead: readonly string[];
let waiting: readonly string[];
const live = Array.from({ length: KEPT }, () => randomUUID());

test.beforeAll(async () => {
  test.setTimeout(MAKE_TIMEOUT_MS);
  runtime = await startContainerd();
  const alone = (name: string): SandboxOf => ({ name, uid: randomUUID() });
  ready = await runtime.runAll(Array.from({ length: READY }, (_, index) => alone(`ready-${index}`)));
  dead = await runtime.runAll(Array.from({ length: DEAD }, (_, index) => alone(`dead-${index}`)));
  waiting = await runtime.runAll(live.map((uid, index) => ({ name: `waits-${index}`, uid, attempt: 3 })));
  await runtime.killAll([...dead, ...waiting]);
});
test.afterAll(async () => {
  test.setTimeout(MAKE_TIMEOUT_MS);
  await runtime?.stop();
});

const order = (objects: readonly string[], parallel: number): WorkOrder => ({ id: "of-the-test", node: "node-1", action: "purge-dead-sandboxes", dry: false, planVersion: "", requestedBy: "anna", issuedMs: ahead.now(), expiresMs: ahead.now() + ORDER_VALID_MS, params: { parallel }, objects });

const stage = (criSocket = runtime.socket) => toolsOf({ clock: ahead, criSocket, pods: live });

const alive = async (): Promise<readonly string[]> => (await runtime.list()).filter((one) => one.ready).map(({ id }) => id).sort();

test("a dry run lists each dead sandbox with its reason, no ready one, and touches none", async () => {
  const before = await runtime.list();
  const objects = await purgeDeadSandboxes.survey({ ...order([], 1), dry: true }, stage().tools);
  expect(objects.filter(({ outcome }) => outcome === "would").map(({ id }) => id).sort()).toEqual([...dead].sort());
  expect(objects.filter(({ outcome }) => outcome !== "would").map(({ id, reason }) => [id, reason]).sort()).toEqual(waiting.map((id) => [id, "it is the newest of a pod that lives"]).sort());
  expect((await runtime.list()).map(({ id, ready: is }) => `${id} ${is}`).sort()).toEqual(before.map(({ id, ready: is }) => `${id} ${is}`).sort());
});

test("told to take every sandbox there is, a purge takes no ready one, nor the newest of a pod that lives", async () => {
  test.setTimeout(MAKE_TIMEOUT_MS);
  const before = await alive();
  expect(before).toEqual([...ready].sort());
  const { tools, told } = stage();
  const startedMs = Date.now();
  await purgeDeadSandboxes.carryOut(order([...ready, ...waiting, ...dead.slice(0, DEAD / 2), "no-such-sandbox"], 1), tools);
  const tookMs = Date.now() - startedMs;
  const of = (ids: readonly string[]) => told.filter(({ id }) => ids.includes(id));
  expect(of(ready).map(({ outcome, reason }) => `${outcome}: ${reason ?? ""}`)).toEqual(ready.map(() => "left: it is ready"));
  expect(of(waiting).map(({ outcome }) => outcome)).toEqual(waiting.map(() => "left"));
  expect(told.find(({ id }) => id === "no-such-sandbox")).toMatchObject({ outcome: "left", reason: "it is gone already" });
  expect(of(dead).filter(({ outcome }) => outcome === "done")).toHaveLength(DEAD / 2);
  expect(await alive()).toEqual(before);
  expect(tookMs, "one at a time, with a gap between").toBeGreaterThan((ready.length + waiting.length + DEAD / 2) * LEAST_GAP_MS);
  console.log(`one at a time: ${DEAD / 2} removed and ${READY + KEPT} left in ${Math.round(tookMs / 1_000)} s`);
});

test("four at a time take the rest inside one order's time, and what is left is what has to be", async () => {
  test.setTimeout(MAKE_TIMEOUT_MS);
  const { tools, told } = stage();
  const startedMs = Date.now();
  const wanted = order(dead.slice(DEAD / 2), 4);
  // As the worker says it: nothing is begun once the order's time is over.
  await purgeDeadSandboxes.carryOut(wanted, { ...tools, over: () => ahead.now() >= wanted.expiresMs });
  const tookMs = Date.now() - startedMs;
  expect(told.filter(({ outcome }) => outcome === "done")).toHaveLength(DEAD / 2);
  expect((await runtime.list()).map(({ id }) => id).sort()).toEqual([...ready, ...waiting].sort());
  expect(await alive()).toEqual([...ready].sort());
  console.log(`four at a time: ${DEAD / 2} removed in ${Math.round(tookMs / 1_000)} s`);
});

test("by a clock that does not run ahead every one of them is too young", async () => {
  const objects = await purgeDeadSandboxes.survey({ ...order([], 1), dry: true }, toolsOf({ clock: systemClock, criSocket: runtime.socket }).tools);
  // Those made first may be ten minutes old by now on a slow machine.
  const young = new Set((await runtime.list()).filter(({ createdMs }) => Date.now() - createdMs < 590_000).map(({ id }) => id));
  for (const { id, outcome, reason } of objects) if (young.has(id)) expect([outcome, reason]).toEqual(["left", expect.stringMatching(/^it is \d+ s old, less than 10 min$/)]);
});

test("a plugin that fails leaves the sandbox where it is, with the runtime's own words", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-plugin-"));
  const other = await startContainerd({ plugin: PLUGIN(folder) });
  try {
    const [id = ""] = await other.runAll([{ name: "stuck", uid: randomUUID(), network: "pod" }]);
    rmSync(folder, { recursive: true });
    await other.kill(id).catch(() => undefined); // its DEL fails, and the sandbox is dead all the same
    await expect.poll(async () => (await other.list()).map((one) => one.ready), { timeout: 20_000 }).toEqual([false]);
    const { tools, told } = stage(other.socket);
    await purgeDeadSandboxes.carryOut(order([id], 1), tools);
    expect(told).toEqual([{ id, name: "default/stuck, attempt 0", outcome: "failed", reason: expect.stringMatching(/StopPodSandbox failed:.*the daemon is away/) }]);
    expect(await other.list()).toHaveLength(1);
  } finally {
    await other.stop();
  }
});

/** Answers an ADD, and a DEL as long as its folder is there. */
const PLUGIN = (folder: string): string => `#!/bin/sh
case "$CNI_COMMAND" in
  ADD) echo '{"cniVersion":"1.0.0","interfaces":[{"name":"eth0","sandbox":"'"$CNI_NETNS"'"}],"ips":[{"address":"10.250.0.2/24","interface":0}]}' ;;
  DEL) [ -d ${folder} ] || { echo '{"cniVersion":"1.0.0","code":999,"msg":"the daemon is away"}'; exit 1; } ;;
  VERSION) echo '{"cniVersion":"1.0.0","supportedVersions":["1.0.0"]}' ;;
esac
`;
