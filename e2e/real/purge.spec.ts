import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { systemClock, type Clock } from "../../server/clock";
import { purgeDeadSandboxes } from "../../server/agent/actions/purge-dead-sandboxes";
import { toolsOf } from "../../server/agent/actions/testing/tools";
import type { Tools } from "../../server/agent/actions/types";
import { hostFs } from "../../server/agent/host-fs";
import { pluginProcessReader } from "../../server/agent/proc/plugin-processes";
import { procScanner } from "../../server/agent/proc/scan";
import type { AgentReport } from "../../server/domain/agent-report";
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

test.describe("where a plugin takes part", () => {
  let folder: string;
  let other: OwnContainerd;
  test.beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-plugin-"));
    other = await startContainerd({ plugin: PLUGIN(folder) });
  });
  test.afterAll(async () => {
    await other?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  /** Dead sandboxes whose networks are still there: their DEL failed. */
  const deadOnes = async (count: number): Promise<readonly string[]> => {
    const ids = await other.runAll(Array.from({ length: count }, (_, index) => ({ name: `stuck-${index}`, uid: randomUUID(), network: "pod" as const })));
    rmSync(folder, { recursive: true });
    for (const id of ids) await other.kill(id).catch(() => undefined);
    await expect.poll(async () => (await other.list()).map((one) => one.ready), { timeout: 20_000 }).toEqual(ids.map(() => false));
    return ids;
  };

  test("a plugin that fails leaves the sandbox where it is, with the runtime's own words", async () => {
    const [id = ""] = await deadOnes(1);
    const { tools, told } = stage(other.socket);
    await purgeDeadSandboxes.carryOut(order([id], 1), tools);
    expect(told).toEqual([{ id, name: "default/stuck-0, attempt 0", outcome: "failed", reason: expect.stringMatching(/StopPodSandbox failed:.*the daemon is away/) }]);
    expect(await other.list()).toHaveLength(1);
    mkdirSync(folder);
    await purgeDeadSandboxes.carryOut(order([id], 1), tools);
    expect(await other.list()).toEqual([]);
  });

  test("a purge pauses while the plugin gets slow and while more of its callers live, and goes on as before once neither is so", async () => {
    const ids = await deadOnes(9);
    mkdirSync(folder);
    const { tools, told } = stage(other.socket);
    // Callers of plugins as the agent's own reader sees them among all processes of this machine.
    const reader = pluginProcessReader(hostFs(""), "/proc");
    const bin = path.join(other.dir, "bin");
    const caller = path.join(bin, "waits");
    copyFileSync("/bin/sleep", caller);
    let callers: ChildProcess[] = [];
    let processes: AgentReport["processes"];
    const look = async (): Promise<void> => void (processes = await reader.look(await procScanner("/proc").scan(), [bin], new Set(), Date.now()));
    await look();
    const pauses: number[] = [];
    const tookMs: number[] = [];
    let from = performance.now();
    const after = [
      { objects: 6, then: () => writeFileSync(path.join(folder, "slow"), String(Math.ceil(3 + (5 * Math.max(...tookMs)) / 1_000))) },
      {
        objects: 7,
        then: () => {
          rmSync(path.join(folder, "slow"));
          callers = Array.from({ length: 7 }, () => spawn(caller, ["600"], { env: { ...process.env, CNI_COMMAND: "ADD" }, stdio: "ignore" }));
        },
      },
      { objects: 8, then: () => Promise.all(callers.map((one) => ended(one))) },
    ];
    try {
      await purgeDeadSandboxes.carryOut(order(ids, 1), {
        ...tools,
        report: () => ({ ...reportOf(tools), ...(processes === undefined ? {} : { processes }) }),
        sleep: async (ms) => {
          pauses.push(ms);
          tookMs.push(performance.now() - from);
          await tools.sleep(ms);
          await after.find(({ objects }) => objects === told.length)?.then();
          await look();
          from = performance.now();
        },
      });
    } finally {
      for (const one of callers) one.kill("SIGKILL");
    }
    expect(told.map(({ outcome }) => outcome)).toEqual(ids.map(() => "done"));
    const SLOW = 6;
    const MANY = 7;
    // What a busy machine makes slow by itself pauses too; everything else has but the least gap after it.
    expect(pauses.filter((ms, index) => index !== SLOW && index !== MANY && (tookMs[index] ?? 0) < 2_000 && ms !== LEAST_GAP_MS)).toEqual([]);
    expect(pauses[SLOW], `after one of ${Math.round(tookMs[SLOW] ?? 0)} ms`).toBeGreaterThanOrEqual(5_000);
    expect(pauses[MANY], "while seven more callers live").toBeGreaterThanOrEqual(5_000);
  });
});

const reportOf = (tools: Tools): AgentReport => {
  const report = tools.report();
  if (report === undefined) throw new Error("the stage has a report");
  return report;
};
const ended = async (child: ChildProcess): Promise<void> => {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
};

/** Answers an ADD, and a DEL as long as its folder is there, after as many seconds as the file "slow" in it says. */
const PLUGIN = (folder: string): string => `#!/bin/sh
case "$CNI_COMMAND" in
  ADD) echo '{"cniVersion":"1.0.0","interfaces":[{"name":"eth0","sandbox":"'"$CNI_NETNS"'"}],"ips":[{"address":"10.250.0.2/24","interface":0}]}' ;;
  DEL)
    [ -d ${folder} ] || { echo '{"cniVersion":"1.0.0","code":999,"msg":"the daemon is away"}'; exit 1; }
    [ ! -f ${folder}/slow ] || /bin/sleep "$(cat ${folder}/slow)" ;;
  VERSION) echo '{"cniVersion":"1.0.0","supportedVersions":["1.0.0"]}' ;;
esac
`;
