import { describe, expect, it } from "vitest";
import type { ContainerCgroup } from "../agent-readings";
import { NO_HELD_PODS } from "../judge-input";
import { agentReport } from "../testing/builders";
import { daemonCpuThrottled } from "./daemon-cpu-throttled";
import { causeCases, checked } from "./testing/cases";
import { detail, multus, MULTUS } from "./testing/daemons";
import { causeInput, signalNow, signalUnknown } from "./testing/input";
import { resources } from "./testing/resources";
import { saying, secondsAgo, waiting } from "./testing/texts";

/** Recorded from multus at 30m CPU with 100 pods: 4295 of 4299 periods between two pages. */
const STORM_SHARE = 4295 / 4299;
const held = { held: { ...NO_HELD_PODS, waiting: 100, stuck: 100, oldestWaitMs: secondsAgo(174), oldestStuckMs: secondsAgo(174) } };
const throttled = (share: number) => [signalNow("daemon.cpu.throttled_share", share, MULTUS)];
const at30m = multus(detail({ containers: resources({ cpuLimitCores: 0.03 }) }));
const text = saying("daemon-cpu-throttled", "the container is throttled by its CPU limit");
const cgroup: ContainerCgroup = { namespace: "kube-system", pod: "kube-multus-ds-abc", podUid: "multus-uid", container: "kube-multus", cni: "multus", cgroupVersion: 1, cpuQuotaCores: 0.03, cpuPeriods: 1_802, cpuThrottledPeriods: 1_784 };

causeCases(daemonCpuThrottled, {
  fires: [
    { name: "in a storm at 30m CPU", certainty: "named", says: ["kube-multus", "30m CPU", "99.9 %", "100 pods wait, the oldest for 2 min 54 s"], input: causeInput({ ...at30m, ...held, signals: throttled(STORM_SHARE) }) },
    { name: "without an agent: the kubelet and the API are enough", certainty: "named", input: causeInput({ ...at30m, ...held, report: null, signals: throttled(STORM_SHARE) }) },
    { name: "where nothing waits and calls take long", certainty: "named", says: ["12–24 s"], input: causeInput({ ...multus(), signals: [...throttled(0.9), signalNow("cri.run_sandbox.p95.low", 12), signalNow("cri.run_sandbox.p95.high", 24)] }) },
  ],
  almost: [
    { name: "where it is throttled and keeps up", input: causeInput({ ...multus(), signals: throttled(0.94) }) },
    { name: "where three pods at once used up its limit for a moment (recorded: 17 of 33 periods)", input: causeInput({ ...multus(), held: { ...NO_HELD_PODS, waiting: 3, oldestWaitMs: secondsAgo(35) }, signals: throttled(17 / 33) }) },
    { name: "where it has no limit, whatever waits", input: causeInput({ ...multus(detail({ containers: resources({ cpuLimitCores: undefined }) })), ...held, signals: [signalUnknown("daemon.cpu.throttled_share", "no limit", MULTUS)] }) },
    { name: "where every pod that waits was refused at once for another reason", input: causeInput({ ...multus(), held: { ...NO_HELD_PODS, waiting: 1, oldestWaitMs: secondsAgo(300) }, errors: [saying("plugin-binary-missing", 'failed to find plugin "bridge" in path [/opt/cni/bin]')], signals: throttled(0.9) }) },
    { name: "where the measured share speaks against a text", input: causeInput({ ...multus(), ...held, errors: [text], signals: throttled(0.02) }) },
    { name: "where no CNI daemon is on the node", input: causeInput() },
  ],
  missing: [
    { name: "cannot tell where cAdvisor does not answer", state: "unknown", says: "cAdvisor does not answer", input: causeInput({ ...multus(), ...held, signals: [signalUnknown("daemon.cpu.throttled_share", "cAdvisor does not answer", MULTUS)] }) },
    { name: "cannot tell where no kubelet is read", state: "unknown", says: "The kubelet is not read", input: causeInput({ ...multus(), ...held, report: null, source: (source) => ({ source, freshness: source === "api" ? "fresh" : "absent", reason: "connection refused" }) }) },
    { name: "cannot tell where DaemonSets cannot be listed", state: "unknown", says: "DaemonSets cannot be seen", input: causeInput({ ...held, kind: (kind) => (kind === "daemonsets" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
    { name: "suspects by a text where nothing was measured", state: "suspected", says: "1 pod", input: causeInput({ ...multus(), ...held, errors: [text], signals: [signalUnknown("daemon.cpu.throttled_share", "cAdvisor does not answer", MULTUS)] }) },
  ],
});

describe("evidence of a throttled daemon", () => {
  it("has the share, the limit, the agent's own count and why the pressure is not known", () => {
    const [finding] = checked(daemonCpuThrottled, causeInput({ ...at30m, ...held, signals: [...throttled(STORM_SHARE), signalUnknown("daemon.cpu.psi_share", "no PSI on cgroup v1", MULTUS)], report: agentReport({ cgroups: { looked: true, items: [cgroup] } }) }));
    expect(finding?.evidence).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ look: "seen", value: STORM_SHARE, unit: "ratio", source: "kubelet" }),
        expect.objectContaining({ look: "seen", value: 0.03, unit: "cores", source: "api" }),
        expect.objectContaining({ look: "seen", value: "1,784 of 1,802", source: "agent" }),
        expect.objectContaining({ look: "could-not-look", reason: "no PSI on cgroup v1" }),
      ]),
    );
  });

  it("names the pods that wait", () => {
    const { waitingPods, pods } = waiting("web-1", 174);
    const [finding] = checked(daemonCpuThrottled, causeInput({ ...multus(detail(), { others: pods.values() }), waitingPods, ...held, signals: throttled(1) }));
    expect(finding?.pods).toEqual(["default/web-1"]);
  });
});
