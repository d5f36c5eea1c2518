import { describe, expect, it } from "vitest";
import { NO_HELD_PODS } from "../judge-input";
import { node } from "../testing/builders";
import { nodeCpuContention } from "./node-cpu-contention";
import { causeCases, checked } from "./testing/cases";
import { detail, multus, MULTUS } from "./testing/daemons";
import { causeInput, signalNow, signalUnknown } from "./testing/input";
import { resources } from "./testing/resources";
import { saying, secondsAgo } from "./testing/texts";

const held = { held: { ...NO_HELD_PODS, waiting: 12, stuck: 12, oldestWaitMs: secondsAgo(200), oldestStuckMs: secondsAgo(200) } };
const pressure = (share: number) => signalNow("daemon.cpu.psi_share", share, MULTUS);
const throttled = (share: number) => signalNow("daemon.cpu.throttled_share", share, MULTUS);
const unlimited = multus(detail({ containers: resources({ cpuLimitCores: undefined, cpuRequestCores: 0.01 }) }));
const noLimit = signalUnknown("daemon.cpu.throttled_share", "no limit", MULTUS);
const text = saying("node-cpu-contention", "Unreasonably long 12031ms poll interval (0ms user, 0ms system)");

causeCases(nodeCpuContention, {
  fires: [
    { name: "where a daemon without a limit waits for a CPU most of the time and pods wait for it", certainty: "named", says: ["kube-multus", "82 %", "10m CPU", "12 pods"], input: causeInput({ ...unlimited, ...held, signals: [pressure(0.82), noLimit], node: node({ allocatable: { cpuCores: 4 } }) }) },
    { name: "where it has a limit that hardly ever stops it", certainty: "named", input: causeInput({ ...multus(), ...held, report: null, signals: [pressure(0.6), throttled(0.04)] }) },
  ],
  almost: [
    { name: "where the pressure comes from its own limit", input: causeInput({ ...multus(), ...held, signals: [pressure(0.9), throttled(0.96)] }) },
    { name: "where it waits for a CPU and keeps up", input: causeInput({ ...unlimited, signals: [pressure(0.6), noLimit] }) },
    { name: "where it gets what it asks for, whatever waits", input: causeInput({ ...unlimited, ...held, signals: [pressure(0.05), noLimit] }) },
    { name: "where no CNI daemon is on the node", input: causeInput() },
  ],
  missing: [
    { name: "cannot tell without PSI", state: "unknown", says: "no PSI on cgroup v1", input: causeInput({ ...unlimited, ...held, signals: [signalUnknown("daemon.cpu.psi_share", "no PSI on cgroup v1", MULTUS), noLimit] }) },
    { name: "cannot tell the node's fault from the limit's where the throttling is not known", state: "unknown", says: "throttling", input: causeInput({ ...multus(), ...held, signals: [pressure(0.9), signalUnknown("daemon.cpu.throttled_share", "a second reading is needed first", MULTUS)] }) },
    { name: "cannot tell while the API says nothing current", state: "unknown", says: "The Kubernetes API tells nothing current", input: causeInput({ ...unlimited, ...held, source: (source) => ({ source, freshness: source === "api" ? "stale" : "fresh", reason: "the watch is gone" }) }) },
    { name: "suspects by a text without PSI", state: "suspected", says: "no CPU to give", input: causeInput({ ...unlimited, ...held, errors: [text], signals: [signalUnknown("daemon.cpu.psi_share", "no PSI on cgroup v1", MULTUS), noLimit] }) },
  ],
});

describe("evidence of a starved daemon", () => {
  it("says that there are no CFS periods to count without a limit, and what the daemon asks for", () => {
    const [finding] = checked(nodeCpuContention, causeInput({ ...unlimited, ...held, signals: [pressure(0.82), noLimit] }));
    expect(finding?.evidence).toEqual(expect.arrayContaining([expect.objectContaining({ look: "could-not-look", reason: "it has no CPU limit, so it has none" }), expect.objectContaining({ look: "seen", value: 0.01, unit: "cores" })]));
  });

  it("keeps what could not be looked at beside a text", () => {
    const [finding] = checked(nodeCpuContention, causeInput({ ...unlimited, ...held, errors: [text], signals: [signalUnknown("daemon.cpu.psi_share", "no PSI on cgroup v1", MULTUS), noLimit] }));
    expect(finding?.evidence.map(({ look }) => look)).toEqual(["seen", "could-not-look"]);
  });
});
