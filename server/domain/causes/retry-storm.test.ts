import { describe, expect, it } from "vitest";
import type { PluginProcess, SocketUse } from "../agent-readings";
import type { AgentReport } from "../agent-report";
import { NO_HELD_PODS } from "../judge-input";
import { backlogCourse, stoodStill } from "./backlog-course";
import { retryStorm } from "./retry-storm";
import { causeCases, checked } from "./testing/cases";
import { detail, down, ended, multus } from "./testing/daemons";
import { causeInput, errorGroup, signalNow, type InputParts } from "./testing/input";
import { MULTUS_SOCKET, socket, socketsSeen } from "./testing/sockets";
import { saying, secondsAgo } from "./testing/texts";
import type { Point } from "./types";

/** Recorded from multus at 30m CPU and 100 pods; runtimeRequestTimeout 15 s. */
const DEADLINE = "Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded";
const RESERVED = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to reserve sandbox name "load_default_u_0": name "load_default_u_0" is reserved for "90e108967bda1300043686a30221014c"';
const deadline = (lastSeconds = 30) => errorGroup(DEADLINE, ["default/load-1", "default/load-2"], { count: 74, lastMs: secondsAgo(lastSeconds) });
const waits = (waiting: number, oldestSeconds = 600) => ({ held: { ...NO_HELD_PODS, waiting, stuck: waiting, oldestWaitMs: secondsAgo(oldestSeconds), oldestStuckMs: secondsAgo(oldestSeconds) }, deadline: { seconds: 30, assumed: false } });
/** [seconds ago, pods]. */
const points = (...pairs: readonly (readonly [number, number])[]): readonly Point[] => pairs.map(([seconds, value]) => ({ atMs: secondsAgo(seconds), value }));
const standing = points([600, 100], [450, 100], [300, 100], [240, 100], [180, 100], [120, 100], [60, 100], [15, 100]);
const trends = { "pods.waiting": standing, "sandbox.backlog": points([600, 97], [300, 104], [15, 112]) };
const counters = (calls: number, errors: number, stops: number) => [signalNow("cri.run_sandbox.calls", calls), signalNow("cri.run_sandbox.errors", errors), signalNow("cri.stop_sandbox.errors", stops)];
const use = (connections: number, liveShims: number): { readonly socketUse: AgentReport["socketUse"] & object } => ({ socketUse: { looked: true, items: [{ path: MULTUS_SOCKET, connections, liveShims } satisfies SocketUse] } });
const shim = (pid: number, ageSeconds: number): PluginProcess => ({ pid, program: "multus-shim", path: "/opt/cni/bin/multus-shim", startedMs: secondsAgo(ageSeconds), state: "S", replaced: false });
const agent = (later: Partial<AgentReport> = {}): Pick<InputParts, "sockets" | "report"> => socketsSeen([socket({ state: "silent" })], {}, { socketUse: { looked: true, items: [{ path: MULTUS_SOCKET, connections: 60, liveShims: 60 }] }, processes: { looked: true, items: [shim(1, 25)], truncated: false }, ...later });
const stale = { source: (source: "api" | "kubelet" | "agent" | "prometheus") => ({ source, freshness: source === "api" ? ("stale" as const) : ("fresh" as const), reason: "the watch is gone" }) };

causeCases(retryStorm, {
  fires: [
    { name: "in its first phase, by API and kubelet alone", certainty: "named", says: ["100 pods wait", "30 s", "74 pods met the kubelet's deadline", "100 to 100", "will not recover alone", "0 of 541 RunPodSandbox calls succeeded"], input: causeInput({ ...multus(), ...waits(100), report: null, errors: [deadline(), errorGroup(RESERVED)], trends, signals: counters(541, 541, 11) }) },
    { name: "in its second, nearly silent phase, by abandoned requests", certainty: "named", says: ["2,015 connections", "60 live calls", "nobody waits for", "385 StopPodSandbox calls failed"], input: causeInput({ ...multus(), ...waits(100), ...agent(use(2_015, 60)), trends, signals: counters(16, 16, 385) }) },
    { name: "where its texts are old and sandboxes still cannot be ended", certainty: "named", input: causeInput({ ...multus(), ...waits(100), report: null, errors: [deadline(1_500)], trends, signals: counters(0, 0, 385) }) },
    { name: "where a call in flight is older than the deadline", certainty: "named", says: ["older than the deadline"], input: causeInput({ ...multus(), ...waits(5), ...agent({ processes: { looked: true, items: [shim(1, 35), shim(2, 3)], truncated: false } }), trends: { "pods.waiting": points([200, 5], [70, 5]) } }) },
    { name: "while it drains, with the time to clear", certainty: "named", says: ["It drains", "30 a minute", "clear in about 1 min 20 s"], input: causeInput({ ...multus(), ...waits(40), report: null, errors: [deadline(200)], trends: { "pods.waiting": [...standing.filter(({ atMs }) => atMs <= secondsAgo(120)), ...points([60, 70], [15, 48])] }, signals: counters(100, 30, 5) }) },
    { name: "where it falls so slowly that it would take hours", certainty: "named", says: ["hardly become fewer", "It will not recover alone"], input: causeInput({ ...multus(), ...waits(98), report: null, errors: [deadline()], trends: { "pods.waiting": points([300, 100], [200, 100], [100, 99], [60, 99]) } }) },
    { name: "only suspected where failed calls took as long as the deadline and nobody says so", certainty: "suspected", says: ["12–30 s"], input: causeInput({ ...multus(), ...waits(20), report: null, trends, signals: [...counters(40, 40, 0), signalNow("cri.run_sandbox.p99.low", 12), signalNow("cri.run_sandbox.p99.high", 30)] }) },
    { name: "only suspected in a second phase of which no text is left", certainty: "suspected", says: ["nothing says why"], input: causeInput({ ...multus(), ...waits(100), report: null, trends, signals: counters(0, 0, 385) }) },
  ],
  almost: [
    { name: "where a burst is worked off from its start (recorded: 100 pods at 100m, done after 120 s)", input: causeInput({ ...multus(), ...waits(30, 100), report: null, errors: [deadline(20)], trends: { "pods.waiting": points([110, 0], [100, 100], [85, 100], [70, 90], [55, 75], [40, 60], [15, 40]) } }) },
    { name: "in a rollout: many wait, and no call outlives anything", input: causeInput({ ...multus(), ...waits(60, 20), ...agent(use(60, 60)), trends: { "pods.waiting": points([300, 60], [60, 60]) }, signals: counters(100, 0, 0) }) },
    { name: "where two pods try again and again", input: causeInput({ ...multus(), ...waits(2), errors: [deadline()], trends }) },
    { name: "where the daemon does not run: a deadlock of its installer looks the same to the pods", input: causeInput({ ...multus(down(60, { terminations: [ended({ finishedMs: secondsAgo(60) })] })), ...waits(24), report: null, errors: [deadline(), errorGroup(RESERVED)], trends: { "pods.waiting": points([300, 24], [60, 24]) } }) },
    { name: "where it has just begun anew, with an empty queue", input: causeInput({ ...multus(detail({ running: [{ container: "kube-multus", init: false, sinceMs: secondsAgo(20) }] })), ...waits(100), report: null, errors: [deadline()], trends }) },
    { name: "where calls fail at once for a reason of their own", input: causeInput({ ...multus(), ...waits(20), report: null, errors: [saying("plugin-binary-missing", 'failed to find plugin "bridge" in path [/opt/cni/bin]')], trends, signals: [...counters(300, 300, 300), signalNow("cri.run_sandbox.p99.low", 0.1), signalNow("cri.run_sandbox.p99.high", 0.2)] }) },
    { name: "where a plugin's own deadline passed, not the kubelet's", input: causeInput({ ...multus(), ...waits(20), report: null, errors: [errorGroup('plugin type="calico" failed (add): error getting ClusterInformation: Get "https://10.96.0.1:443/apis": context deadline exceeded')], trends, signals: counters(10, 10, 0) }) },
    { name: "where it is over: old texts, nothing fails any more", input: causeInput({ ...multus(), ...waits(4, 30), report: null, errors: [deadline(1_500)], trends, signals: counters(100, 0, 0) }) },
  ],
  missing: [
    { name: "cannot tell before waiting pods were watched for a minute", state: "unknown", says: "less than a minute", input: causeInput({ ...multus(), ...waits(100), report: null, errors: [deadline()], trends: { "pods.waiting": points([30, 100], [15, 100]) } }) },
    { name: "cannot tell without events and agent", state: "unknown", says: "Events cannot be seen", input: causeInput({ ...multus(), ...waits(100), report: null, kind: (kind) => (kind === "events" ? { seen: false, reason: "forbidden" } : { seen: true }), trends }) },
    { name: "cannot tell while the API says nothing current", state: "unknown", says: "The Kubernetes API tells nothing current", input: causeInput({ ...multus(), ...waits(100), errors: [deadline()], trends, ...stale }) },
    { name: "clears nothing once the agent that counted connections fell silent", state: "unknown", says: "nothing for 2 min", input: causeInput({ ...multus(), ...waits(100), report: null, trends, signals: counters(16, 16, 5), source: (source) => ({ source, freshness: source === "agent" ? "stale" : "fresh", ...(source === "agent" ? { reason: "nothing for 2 min" } : {}) }) }) },
  ],
});

describe("evidence of a storm", () => {
  it("tells its phase, its counters, its backlog and the deadline", () => {
    const [finding] = checked(retryStorm, causeInput({ ...multus(), ...waits(100), ...agent(use(2_015, 60)), trends, signals: counters(16, 16, 385) }));
    expect(finding?.evidence).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ what: "Phase", value: "second: sandboxes cannot be ended, hardly a warning" }),
        expect.objectContaining({ value: "2,015 connections, 60 calls", source: "agent" }),
        expect.objectContaining({ what: expect.stringContaining("Dead sandboxes") as string, value: "97 to 112" }),
        expect.objectContaining({ value: 30, unit: "seconds" }),
        expect.objectContaining({ what: "Calls in flight that are older than the deadline", look: "not-seen", value: 0 }),
      ]),
    );
  });

  it("says that the deadline is assumed where it could not be read", () => {
    const [finding] = checked(retryStorm, causeInput({ ...multus(), ...waits(100), deadline: { seconds: 240, assumed: true }, report: null, errors: [deadline()], trends }));
    expect(finding?.summary).toContain("4 min (assumed)");
    expect(finding?.evidence).toContainEqual(expect.objectContaining({ what: "The kubelet's deadline for RunPodSandbox", look: "could-not-look" }));
  });

  it("marks a storm that drains as a risk, no longer as what blocks", () => {
    const [finding] = checked(retryStorm, causeInput({ ...multus(), ...waits(40), report: null, errors: [deadline(200)], trends: { "pods.waiting": [...standing.filter(({ atMs }) => atMs <= secondsAgo(120)), ...points([60, 70], [15, 48])] } }));
    expect(finding?.severity).toBe("risks");
  });
});

describe("the course of a backlog", () => {
  const course = (waiting: number, ...pairs: readonly (readonly [number, number])[]) => backlogCourse(causeInput({ ...waits(waiting), trends: { "pods.waiting": points(...pairs) } }));

  it("is measured down from the newest of its highest points, the last minute left out", () => {
    expect(course(40, [280, 100], [120, 100], [70, 80], [30, 60])).toMatchObject({ from: 100, to: 40, fallsPerMinute: 30, clearInSeconds: 80 });
    expect(course(100, [280, 100], [61, 100])).toMatchObject({ fallsPerMinute: 0 });
    expect(course(120, [61, 100])).toEqual({ fromMs: secondsAgo(61), from: 100, to: 120, fallsPerMinute: 0 });
    expect(course(5, [20, 100])).toBeUndefined();
    expect(course(5, [900, 100])).toBeUndefined();
  });

  it("stood still where nothing fell for two minutes on end", () => {
    expect(stoodStill(standing, 3)).toBe(true);
    expect(stoodStill(points([300, 100], [240, 80], [180, 60], [120, 40], [60, 20]), 3)).toBe(false);
    expect(stoodStill(points([300, 2], [60, 2]), 3)).toBe(false);
    expect(stoodStill([], 0)).toBe(false);
  });
});
