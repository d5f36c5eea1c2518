import { describe, expect, it } from "vitest";
import type { EffectiveSocket } from "../judge-input";
import { agentReport, event, node } from "../testing/builders";
import { PAGE_HANGS_MS, RUNTIME_DOWN_MS, runtimeStuckOrSlow } from "./runtime-stuck-or-slow";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup, signalNow, type InputParts } from "./testing/input";
import { NOW_MS, secondsAgo, waiting } from "./testing/texts";

const cri = (state: EffectiveSocket["state"], heldMs?: number): Pick<InputParts, "sockets"> => ({ sockets: [{ name: "cri", path: "/run/containerd/containerd.sock", state, effective: false, ...(heldMs === undefined ? {} : { sinceMs: NOW_MS - heldMs }) }] });
/** As on the test cluster with containerd stopped: /metrics hung, /metrics/cadvisor answered. */
const hangs = (heldMs: number, cadvisorAgoMs = 5_000): Pick<InputParts, "kubeletPages"> => ({ kubeletPages: { metrics: { lastMs: NOW_MS - heldMs - 15_000, failingSinceMs: NOW_MS - heldMs, timedOut: true }, cadvisor: { lastMs: NOW_MS - cadvisorAgoMs } } });
const answering: Pick<InputParts, "kubeletPages"> = { kubeletPages: { metrics: { lastMs: secondsAgo(5) }, cadvisor: { lastMs: secondsAgo(20) } } };
const ready = (message: string) => node({ conditions: [{ type: "Ready", status: "False", message, sinceMs: secondsAgo(60) }] });
const nothingRead: Pick<InputParts, "source" | "report"> = { report: null, source: (source) => ({ source, freshness: source === "api" ? "fresh" : "absent", ...(source === "kubelet" ? { reason: "no route to the node" } : source === "agent" ? { reason: "no agent on this node" } : {}) }) };
const RESERVED = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to reserve sandbox name "probe-1_f_41e_0": name "probe-1_f_41e_0" is reserved for "624f1076c206"';
const STAGE = "kubelet may be retrying requests that are timing out in CRI-O due to system load. Currently at stage sandbox storage creation: context deadline exceeded: error reserving pod name k8s_a_b_c_0 for id f03: name is reserved";
const list = (...seconds: readonly number[]): InputParts => ({ signals: [signalNow("cri.list_seconds", seconds.at(-1) ?? 0, "", { source: "agent" })], trends: { "cri.list_seconds": seconds.map((value, i) => ({ atMs: secondsAgo((seconds.length - i) * 15), value })) } });

causeCases(runtimeStuckOrSlow, {
  fires: [
    { name: "where the kubelet's /metrics hangs while its cAdvisor page answers, by the kubelet alone", certainty: "named", says: ["/metrics", "30 s"], input: causeInput({ ...nothingRead, ...hangs(PAGE_HANGS_MS) }) },
    { name: "where the runtime's socket is silent for 30 s", certainty: "named", says: ["/run/containerd/containerd.sock", "30 s"], input: causeInput(cri("silent", 30_000)) },
    { name: "where it refuses for 20 s", certainty: "named", says: ["refused"], input: causeInput(cri("refuses", RUNTIME_DOWN_MS)) },
    { name: "where the kubelet says that the runtime is down", certainty: "named", says: ["down"], input: causeInput({ report: null, node: ready("container runtime is down") }) },
    { name: "where the kubelet's PLEG has not come back", certainty: "named", says: ["PLEG"], input: causeInput({ report: null, node: ready("PLEG is not healthy: pleg was last seen active 3m7.629592089s ago; threshold is 3m0s") }) },
    { name: "where the runtime says that it is not ready", certainty: "named", says: ["shim not found"], input: causeInput({ report: agentReport({ runtime: { looked: true, reading: { name: "containerd", version: "2", conditions: [{ type: "RuntimeReady", status: false, reason: "", message: "shim not found" }] } } }) }) },
    { name: "where it takes long to list its sandboxes, twice in a row", certainty: "named", says: ["6 s and 7 s"], input: causeInput(list(0.1, 6, 7)) },
    { name: "where CRI-O says that it is at its storage, though it answers", certainty: "suspected", input: causeInput({ ...cri("answers"), errors: [errorGroup(STAGE)] }) },
  ],
  almost: [
    { name: "while the runtime restarts", input: causeInput({ ...cri("refuses", RUNTIME_DOWN_MS - 1), ...answering }) },
    { name: "where a page did not come twice", input: causeInput({ ...hangs(PAGE_HANGS_MS - 1), ...cri("answers") }) },
    { name: "where a page is refused and does not hang", input: causeInput({ ...cri("answers"), kubeletPages: { metrics: { failingSinceMs: secondsAgo(600), timedOut: false }, cadvisor: { lastMs: secondsAgo(5) } } }) },
    { name: "where a daemon hangs and names stay reserved, while the runtime answers", input: causeInput({ ...answering, report: null, errors: [errorGroup(RESERVED)], ...waiting("probe-1", 400) }) },
    { name: "where one list was slow", input: causeInput({ ...cri("answers"), ...list(0.1, 8, 0.1) }) },
    { name: "without agent and kubelet, where a sandbox became ready lately", input: causeInput({ ...nothingRead, lastFreshMs: secondsAgo(30) }) },
  ],
  missing: [
    { name: "cannot tell where both pages of the kubelet are silent: the node may not be reached at all", state: "unknown", says: "no route to the node", input: causeInput({ ...nothingRead, kubeletPages: { metrics: { failingSinceMs: secondsAgo(120), timedOut: true }, cadvisor: { lastMs: secondsAgo(200), failingSinceMs: secondsAgo(120), timedOut: true } } }) },
    { name: "cannot tell where neither kubelet nor agent is read", state: "unknown", says: "The kubelet is not read", input: causeInput(nothingRead) },
    { name: "suspects by the text of a reserved name where nothing shows that the runtime answers", state: "suspected", says: "Texts of 1 pod", input: causeInput({ ...nothingRead, errors: [errorGroup(RESERVED)] }) },
  ],
});

describe("what it brings about", () => {
  const explains = (input: InputParts) => checked(runtimeStuckOrSlow, causeInput(input))[0]?.explains ?? runtimeStuckOrSlow.explains;

  it("is a storm where nothing that asks the runtime comes back, and not where a list is merely slow or PLEG lags", () => {
    expect(explains(cri("silent", 60_000))).toContain("retry-storm");
    expect(explains(list(6, 7))).toEqual([]);
    expect(explains({ node: ready("PLEG is not healthy: pleg was last seen active 3m7s ago; threshold is 3m0s") })).not.toContain("retry-storm");
  });

  it("a slow list is a risk, not a block", () => {
    expect(checked(runtimeStuckOrSlow, causeInput(list(6, 7)))[0]?.severity).toBe("risks");
  });
});

it("shows the node's only event of a frozen runtime beside what was measured", () => {
  const gc = event("ContainerGCFailed", secondsAgo(20), { message: "rpc error: code = DeadlineExceeded desc = context deadline exceeded", about: { kind: "Node", name: "node-07", uid: "node-uid" } });
  const found = checked(runtimeStuckOrSlow, causeInput({ ...hangs(60_000), eventsAbout: (uid) => (uid === "node-uid" ? [gc] : []) }));
  expect(found[0]?.evidence.map(({ what }) => what)).toContain("Node event ContainerGCFailed");
  expect(checked(runtimeStuckOrSlow, causeInput({ ...answering, eventsAbout: () => [gc] })).map(({ state }) => state)).toEqual(["clear"]);
});
