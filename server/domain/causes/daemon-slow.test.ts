import { describe, expect, it } from "vitest";
import type { PluginProcess } from "../agent-readings";
import { NO_HELD_PODS } from "../judge-input";
import { daemonSlow } from "./daemon-slow";
import { causeCases, checked } from "./testing/cases";
import { down, ended, multus } from "./testing/daemons";
import { causeInput, errorGroup, signalNow } from "./testing/input";
import { MULTUS_SOCKET, socket, socketsSeen } from "./testing/sockets";
import { saying, secondsAgo } from "./testing/texts";

const held = { held: { ...NO_HELD_PODS, waiting: 2, stuck: 2, oldestWaitMs: secondsAgo(130), oldestStuckMs: secondsAgo(130) } };
const call = (pid: number, ageSeconds: number, over: Partial<PluginProcess> = {}): PluginProcess => ({ pid, program: "multus-shim", path: "/opt/cni/bin/multus-shim", startedMs: secondsAgo(ageSeconds), state: "S", replaced: false, ...over });
const calls = (...items: readonly PluginProcess[]) => ({ processes: { looked: true as const, items, truncated: false } });
const silent = (seconds: number) => socket({ state: "silent", sinceMs: secondsAgo(seconds) });
const TIMED_OUT = 'plugin type="multus-shim" name="multus-cni-network" failed (add): CmdAdd (shim): timed out waiting for the condition';
const LIMITED = "unable to create endpoint: [PUT /endpoint/{id}][429] putEndpointIdTooManyRequests";
const DEADLINE = "Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded";
const timedOut = saying("daemon-slow", TIMED_OUT);
const limited = errorGroup(LIMITED);

causeCases(daemonSlow, {
  fires: [
    { name: "where the daemon hangs: its socket accepts and never answers", certainty: "named", says: [MULTUS_SOCKET, "1 min 5 s", "2 pods wait"], input: causeInput({ ...multus(), ...held, ...socketsSeen([silent(65)]) }) },
    { name: "where many calls are in flight for long", certainty: "named", says: ["3 calls of multus-shim", "the oldest for 50 s"], input: causeInput({ ...multus(), lastFreshMs: secondsAgo(5), ...socketsSeen([socket()], {}, calls(call(1, 50), call(2, 40), call(3, 31), call(4, 2))) }) },
    { name: "where one is, and nothing has started since it began", certainty: "named", says: ["1 call"], input: causeInput({ ...multus(), ...held, lastFreshMs: secondsAgo(200), ...socketsSeen([socket()], {}, calls(call(1, 50))) }) },
    { name: "where its health path takes long while pods wait", certainty: "named", says: ["7 s"], input: causeInput({ ...multus(), ...held, ...socketsSeen([socket({ latencySeconds: 7 })]) }) },
    { name: "with its delegate's limit, where pods were turned away with 429", certainty: "named", detail: "delegate-rate-limited", says: ["429"], input: causeInput({ ...multus(), ...held, errors: [limited], ...socketsSeen([silent(65)]) }) },
  ],
  almost: [
    { name: "where a sandbox became ready since the socket fell silent", input: causeInput({ ...multus(), ...held, lastFreshMs: secondsAgo(10), ...socketsSeen([silent(65)]) }) },
    { name: "where it has been silent for a moment only", input: causeInput({ ...multus(), ...held, ...socketsSeen([silent(15)]) }) },
    { name: "where the silent socket is none that the config calls", input: causeInput({ ...multus(), ...held, ...socketsSeen([{ ...silent(65), effective: false }], { pluginTypes: ["bridge"] }) }) },
    { name: "where one pod's call takes long and others start meanwhile", input: causeInput({ ...multus(), ...held, lastFreshMs: secondsAgo(10), ...socketsSeen([socket()], {}, calls(call(1, 50))) }) },
    { name: "where calls wait for a daemon whose socket refuses: it is not slow", input: causeInput({ ...multus(), ...held, ...socketsSeen([socket({ state: "refuses" })], {}, calls(call(1, 50), call(2, 50), call(3, 50))) }) },
    { name: "where programs run for long that the runtime does not call", input: causeInput({ ...multus(), ...held, ...socketsSeen([socket()], {}, calls(...[1, 2, 3].map((pid) => call(pid, 90, { program: "dhcp" })))) }) },
    { name: "where a rollout starts many pods, each soon", input: causeInput({ ...multus(), lastFreshMs: secondsAgo(1), held: { ...NO_HELD_PODS, waiting: 20, oldestWaitMs: secondsAgo(8) }, ...socketsSeen([socket({ latencySeconds: 0.4 })], {}, calls(...[1, 2, 3, 4].map((pid) => call(pid, 3)))) }) },
    { name: "without an agent, where calls end soon", input: causeInput({ ...multus(), report: null, signals: [signalNow("cri.run_sandbox.p95.low", 0.5), signalNow("cri.run_sandbox.p95.high", 1)] }) },
  ],
  missing: [
    { name: "cannot tell without an agent while pods wait", state: "unknown", says: "no agent on this node", input: causeInput({ ...multus(), ...held, report: null }) },
    { name: "suspects by a text there", state: "suspected", says: "1 pod", input: causeInput({ ...multus(), ...held, report: null, errors: [timedOut] }) },
    { name: "suspects it where calls outlive the kubelet's deadline and nobody looks at the daemon", state: "suspected", says: "took too long", input: causeInput({ ...multus(), ...held, report: null, errors: [errorGroup(DEADLINE)] }) },
    { name: "cannot tell where they do, and the daemon is known not to run", state: "unknown", says: "no agent on this node", input: causeInput({ ...multus(down(60, { terminations: [ended()] })), ...held, report: null, errors: [errorGroup(DEADLINE)] }) },
    { name: "suspects a delegate's limit by its 429, whatever the daemon's socket does", state: "suspected", says: "turned away", input: causeInput({ ...multus(), ...held, errors: [limited], ...socketsSeen([socket()], {}, calls()) }) },
  ],
});

describe("a burst that was turned away", () => {
  it("is over once the pods have their sandboxes: their texts are no longer read", () => {
    expect(checked(daemonSlow, causeInput({ ...multus(), lastFreshMs: secondsAgo(3), ...socketsSeen([socket()], {}, calls()) }))[0]?.state).toBe("clear");
  });

  it("keeps the detail that the text gives it", () => {
    expect(checked(daemonSlow, causeInput({ ...multus(), ...held, report: null, errors: [limited] }))[0]).toMatchObject({ certainty: "suspected", detail: "delegate-rate-limited" });
  });
});

describe("evidence of a slow daemon", () => {
  it("has the calls in flight, their age and what the kubelet measured", () => {
    const [finding] = checked(daemonSlow, causeInput({ ...multus(), ...held, ...socketsSeen([silent(65)], {}, calls(call(1, 62))), signals: [signalNow("cri.run_sandbox.p95.low", 119), signalNow("cri.run_sandbox.p95.high", 298)] }));
    expect(finding?.evidence).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ what: expect.stringContaining("Socket") as string, value: "silent" }),
        expect.objectContaining({ what: "Age of the oldest call in flight", value: 62, unit: "seconds" }),
        expect.objectContaining({ value: "119–298 s", source: "kubelet" }),
      ]),
    );
  });
});
