import { describe, expect, it } from "vitest";
import type { PluginProcess } from "../agent-readings";
import { NO_HELD_PODS } from "../judge-input";
import { nodeName } from "../testing/builders";
import { diagnose } from "./diagnose";
import { CAUSES } from "./registry";
import { daemonPod, daemons, detail, down, ended, multus, MULTUS, multusDaemonSet } from "./testing/daemons";
import { causeInput, errorGroup, signalNow, type InputParts } from "./testing/input";
import { socket, socketsSeen, MULTUS_SOCKET } from "./testing/sockets";
import { secondsAgo } from "./testing/texts";
import { NO_DIAGNOSIS, type CauseInput } from "./types";

/** Every check over one moment: what stands as a root, and what is folded under it. Only what was measured is looked at. */
function named(input: CauseInput): readonly string[] {
  return diagnose(input, NO_DIAGNOSIS, CAUSES)
    .causes.filter(({ certainty }) => certainty === "named")
    .map(({ code, consequences }) => [code, ...consequences.filter(({ certainty }) => certainty === "named").map((one) => one.code)].join(" > "));
}

const DEADLINE = "Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded";
const waits = (waiting: number): Pick<InputParts, "held" | "deadline" | "trends"> => ({
  held: { ...NO_HELD_PODS, waiting, stuck: waiting, oldestWaitMs: secondsAgo(400), oldestStuckMs: secondsAgo(400) },
  deadline: { seconds: 30, assumed: false },
  trends: { "pods.waiting": [400, 300, 200, 100, 61].map((seconds) => ({ atMs: secondsAgo(seconds), value: waiting })) },
});
const shims = (count: number, ageSeconds: number): { readonly processes: { readonly looked: true; readonly items: readonly PluginProcess[]; readonly truncated: boolean } } => ({
  processes: { looked: true, truncated: false, items: Array.from({ length: count }, (_, pid) => ({ pid, program: "multus-shim", path: "/opt/cni/bin/multus-shim", startedMs: secondsAgo(ageSeconds), state: "S", replaced: false })) },
});
const texts = { errors: [errorGroup(DEADLINE, ["default/a"], { count: 20 })] };
const throttled = { signals: [signalNow("daemon.cpu.throttled_share", 0.99, MULTUS)] };
const silent = socketsSeen([socket({ state: "silent" })], {}, { ...shims(20, 45), socketUse: { looked: true, items: [{ path: MULTUS_SOCKET, connections: 500, liveShims: 20 }] } });

describe("one root with its consequences", () => {
  it("a throttled daemon is slow, and its slowness is a storm", () => {
    expect(named(causeInput({ ...multus(), ...waits(20), ...texts, ...silent, ...throttled }))).toEqual(["daemon-cpu-throttled > daemon-slow > retry-storm"]);
  });

  it("a daemon that hangs, with room to spare, is the root itself", () => {
    expect(named(causeInput({ ...multus(), ...waits(20), ...texts, ...silent, signals: [signalNow("daemon.cpu.throttled_share", 0, MULTUS)] }))).toEqual(["daemon-slow > retry-storm"]);
  });

  it("an installer that is in a deadlock is why the daemon is down", () => {
    const installer = ended({ container: "install-multus-binary", init: true, message: "cp: can't create '/host/opt/cni/bin/multus-shim': Text file busy" });
    expect(named(causeInput({ ...multus(down(90, { restarts: 3, terminations: [installer, ended({ exitCode: 137, finishedMs: secondsAgo(90) })] })), ...waits(20), ...texts, ...socketsSeen([socket({ state: "absent" })], {}, shims(20, 20)) }))).toEqual(["install-deadlock > daemon-down"]);
  });

  it("a daemon that is killed for memory is down for that reason", () => {
    const killed = down(40, { restarts: 3, terminations: [ended({ reason: "OOMKilled", exitCode: 137, finishedMs: secondsAgo(40) })] });
    expect(named(causeInput({ ...multus(killed, { oomKillsMs: [secondsAgo(120), secondsAgo(40)] }), ...waits(20), ...texts, report: null }))).toEqual(["daemon-oom > daemon-down"]);
  });

  it("a daemon for which the node has no room is down for that reason", () => {
    const { node: _, ...unbound } = daemonPod(down(300, { terminations: [], unscheduled: { forNode: nodeName("node-07"), message: "0/1 nodes are available: 1 Insufficient memory.", sinceMs: secondsAgo(300) } }), { phase: "Pending", createdMs: secondsAgo(300) });
    expect(named(causeInput({ ...daemons([unbound], [multusDaemonSet()]), ...waits(20), report: null }))).toEqual(["daemon-unschedulable > daemon-down"]);
  });

  it("a socket that is dead beside a living daemon is no daemon that is down", () => {
    expect(named(causeInput({ ...multus(detail()), ...waits(20), ...socketsSeen([socket({ state: "refuses" })]) }))).toEqual(["stale-socket"]);
  });

  it("a healthy, busy node has none", () => {
    expect(named(causeInput({ ...multus(), lastFreshMs: secondsAgo(2), held: { ...NO_HELD_PODS, waiting: 20, oldestWaitMs: secondsAgo(4) }, ...socketsSeen([socket()], {}, shims(20, 1)), signals: [signalNow("daemon.cpu.throttled_share", 0.5, MULTUS)] }))).toEqual([]);
  });
});
