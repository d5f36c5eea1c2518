import { describe, expect, it } from "vitest";
import type { ConfigReading } from "./agent-report";
import { definiteBlockers } from "./blockers";
import { judge } from "./judge";
import type { AgentFacts, EffectiveSocket, JudgeInput } from "./judge-input";
import { judgeInput, NOW_MS, secondsAgo } from "./testing/builders";

const words = (input: JudgeInput): readonly string[] => definiteBlockers(input).map((one) => one.words);
const notReady = (message: string, reason = "KubeletNotReady"): Partial<JudgeInput> => ({ ready: { type: "Ready", status: "False", reason, message, sinceMs: secondsAgo(60) } });
const agent = (facts: Partial<AgentFacts>): Partial<JudgeInput> => ({ agentStatus: { source: "agent", freshness: "fresh", lastMs: NOW_MS }, agent: { sockets: [], ...facts } });
const socket = (over: Partial<EffectiveSocket>): EffectiveSocket => ({ name: "multus", path: "/run/multus/multus.sock", state: "answers", effective: true, ...over });
const config: ConfigReading = { dir: "/etc/cni/net.d", effectiveFile: "00-multus.conf", pluginTypes: ["multus-shim"], sockets: ["/run/multus/multus.sock"], missingBinaries: [], binDirs: ["/opt/cni/bin"] };
const stale = { source: "agent", freshness: "stale", lastMs: secondsAgo(300), reason: "nothing for 5 min" } as const;

describe("a definite blocker by the node's condition", () => {
  it.each([
    ["container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized", "The runtime's network is not ready: cni plugin not initialized"],
    ["container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config uninitialized", "The runtime's network is not ready: docker: network plugin is not ready: cni config uninitialized"],
    ["[container runtime is down, PLEG is not healthy: pleg was last seen active 5m0s ago; threshold is 3m0s]", "The kubelet says that the container runtime is down"],
  ])("is %s", (message, expected) => {
    expect(words(judgeInput(notReady(message)))).toEqual([expected]);
  });

  it.each(["PLEG is not healthy: pleg was last seen active 5m0s ago; threshold is 3m0s", "[container runtime status check may not have completed yet]", "node is shutting down", "", "failed to initialize CSINode"])("is not: %s", (message) => {
    expect(words(judgeInput(notReady(message)))).toEqual([]);
  });

  it("is none while the condition is True, Unknown or not told", () => {
    const message = "container runtime is down";
    expect(words(judgeInput({ ready: { type: "Ready", status: "True", message } }))).toEqual([]);
    expect(words(judgeInput({ ready: { type: "Ready", status: "Unknown", message } }))).toEqual([]);
    expect(words(judgeInput())).toEqual([]);
  });

  it("is none once the API is stale", () => {
    expect(words(judgeInput({ ...notReady("container runtime is down"), api: { source: "api", freshness: "stale", reason: "x" } }))).toEqual([]);
  });
});

describe("a definite blocker by the agent", () => {
  it.each([
    ["NetworkReady", { reason: "NetworkPluginNotReady", message: "Network plugin returns error: cni plugin not initialized" }, "The runtime's network is not ready: cni plugin not initialized"],
    ["RuntimeReady", { reason: "ContainerdHasDeprecationWarnings", message: "" }, "The runtime says that it is not ready: ContainerdHasDeprecationWarnings"],
  ])("is the runtime's condition %s=false", (type, told, expected) => {
    expect(words(judgeInput(agent({ runtime: { name: "containerd", version: "2.4.2", conditions: [{ type, status: false, ...told }] } })))).toEqual([expected]);
  });

  it("is no other condition of the runtime", () => {
    expect(words(judgeInput(agent({ runtime: { name: "containerd", version: "2.4.2", conditions: [{ type: "ContainerdHasNoDeprecationWarnings", status: false, reason: "x", message: "y" }] } })))).toEqual([]);
  });

  it("is a plugin of the effective conflist that is not installed", () => {
    expect(words(judgeInput(agent({ config: { ...config, missingBinaries: ["multus-shim"] } })))).toEqual(["Plugin multus-shim of 00-multus.conf is not in /opt/cni/bin"]);
  });

  it.each([
    ["refuses", "refuses connections"],
    ["absent", "is absent"],
  ] as const)("is the effective conflist's socket that %s", (state, expected) => {
    expect(words(judgeInput(agent({ sockets: [socket({ state })] })))).toEqual([`Socket /run/multus/multus.sock, which the effective conflist calls, ${expected}`]);
    expect(words(judgeInput(agent({ sockets: [socket({ state, effective: false })] }))), "another socket is a finding").toEqual([]);
  });

  it("is the effective conflist's socket that is silent for 30 s, unless a sandbox became ready since", () => {
    const silent = (silentSinceMs: number | undefined, over: Partial<JudgeInput> = {}) => words(judgeInput({ ...agent({ sockets: [socket({ state: "silent", ...(silentSinceMs === undefined ? {} : { sinceMs: silentSinceMs }) })] }), ...over }));
    expect(silent(secondsAgo(30))).toEqual(["Socket /run/multus/multus.sock, which the effective conflist calls, has been silent for 30 s"]);
    expect(silent(secondsAgo(29))).toEqual([]);
    expect(silent(undefined)).toEqual([]);
    expect(silent(secondsAgo(300), { lastFreshMs: secondsAgo(299) })).toEqual([]);
    expect(silent(secondsAgo(300), { lastFreshMs: secondsAgo(301) })).toHaveLength(1);
  });

  it("is the runtime's own socket, though no conflist calls it", () => {
    expect(words(judgeInput(agent({ sockets: [socket({ name: "cri", path: "/run/containerd/containerd.sock", effective: false, state: "refuses" })] })))).toEqual(["The container runtime's socket /run/containerd/containerd.sock refuses connections"]);
  });

  it("is none once the agent is stale", () => {
    const facts = agent({ config: { ...config, missingBinaries: ["multus-shim"] }, sockets: [socket({ state: "absent" })] });
    expect(words(judgeInput({ ...facts, agentStatus: stale }))).toEqual([]);
  });

  it("counts although the API is stale", () => {
    expect(judge(judgeInput({ ...agent({ sockets: [socket({ state: "refuses" })] }), api: { source: "api", freshness: "stale", reason: "x" } }))).toMatchObject({ state: "no", row: 2 });
  });
});

describe("the sentence of row 2", () => {
  it("says on an idle node that nothing waits yet, and otherwise who waits", () => {
    const refuses = agent({ sockets: [socket({ state: "refuses", detail: "ECONNREFUSED" })] });
    expect(judge(judgeInput(refuses)).summary).toBe("Socket /run/multus/multus.sock, which the effective conflist calls, refuses connections. Nothing waits yet.");
    const held = { waiting: 2, waitingSystem: 1, stuck: 0, stuckTried: 0, ownRequest: 0, other: 0, oldestWaitMs: secondsAgo(30) };
    expect(judge(judgeInput({ ...refuses, held })).summary).toBe("Socket /run/multus/multus.sock, which the effective conflist calls, refuses connections. 2 pods waiting (1 system), oldest 30 s.");
    expect(judge(judgeInput({ ...refuses, api: { source: "api", freshness: "stale", reason: "x" } })).summary, "what waits is not known").toBe("Socket /run/multus/multus.sock, which the effective conflist calls, refuses connections.");
  });

  it("names the first blocker and proves all", () => {
    const { summary, proof } = judge(judgeInput({ ...notReady("container runtime is down"), ...agent({ sockets: [socket({ state: "absent" })] }) }));
    expect(summary).toBe("The kubelet says that the container runtime is down. Nothing waits yet.");
    expect(proof.map(({ what, value }) => `${what}: ${String(value)}`)).toEqual(expect.arrayContaining(["Node condition Ready: False: container runtime is down", "Socket /run/multus/multus.sock, called by the effective conflist: absent"]));
  });

  it("keeps a condition's text on one line and short", () => {
    const { summary } = judge(judgeInput(notReady(`container runtime network not ready: message:${"long\n".repeat(1_000)}`)));
    expect(summary.length).toBeLessThan(300);
    expect(summary).not.toContain("\n");
  });
});
