import { describe, expect, it } from "vitest";
import { buildView } from "./build-view";
import type { SignalNow } from "./node-view";
import { FAMILY_GONE, KUBELET_MINORS, minorOf } from "./kubelet-versions";
import { nothingToSee, remedyOf } from "./signal-remedies";
import { signalVisibility } from "./signal-visibility";
import { SIGNAL_IDS } from "./signals";
import { node, nodeWindow, NOW_MS } from "./testing/builders";
import { DEFAULT_THRESHOLDS } from "./thresholds";

const bare = buildView(nodeWindow(), NOW_MS, DEFAULT_THRESHOLDS);
const of = (change: Partial<SignalNow>): SignalNow => ({ signal: "cri.run_sandbox.calls", instance: "", source: "kubelet", state: "unknown", reason: "a second reading is needed first", ...change });

describe("every signal over the cluster", () => {
  it("is listed once, and each node counts once for it", () => {
    const all = signalVisibility([bare, bare]);
    expect(all.map(({ signal }) => signal)).toEqual(SIGNAL_IDS);
    for (const { seen, stale, unseen, none } of all) expect(seen + stale + unseen + none).toBe(2);
    expect(all.find(({ signal }) => signal === "pods.oldest_dwell")).toMatchObject({ none: 2, unseen: 0, reasons: [] });
  });

  it("is not seen where nobody tells it, with the reason and what to do", () => {
    const backlog = signalVisibility([bare]).find(({ signal }) => signal === "sandbox.backlog");
    expect(backlog).toMatchObject({ seen: 0, unseen: 1, reasons: [{ nodes: 1, fix: "Run the Sandglass agent on this node (docs/operate/agent.md)." }] });
  });

  it("counts a node by the best of its instances", () => {
    const view = { ...bare, signals: [of({ signal: "socket.state", instance: "/a", source: "agent" }), of({ signal: "socket.state", instance: "/b", source: "agent", state: "fresh", value: 0, atMs: NOW_MS })] };
    expect(signalVisibility([view]).find(({ signal }) => signal === "socket.state")).toMatchObject({ seen: 1, unseen: 0, sources: ["agent"], lastMs: NOW_MS, reasons: [] });
  });
});

describe("what to do to see a signal", () => {
  it("is nothing where it is seen or where there is nothing to see", () => {
    for (const reason of ["no call finished", "no pod waits", "above the last bucket: > 745 s"]) expect(remedyOf(of({ reason }), bare)).toBeUndefined();
    expect(remedyOf(of({ state: "fresh", value: 1 }), bare)).toBeUndefined();
  });

  it("names the kubelet's version where that is too old for pressure", () => {
    const sources = [{ source: "kubelet", freshness: "fresh", lastMs: NOW_MS }] as const;
    const psi = of({ signal: "daemon.cpu.psi_share", reason: "no PSI from this kubelet" });
    expect(remedyOf(psi, { sources, versions: { kubelet: "v1.31.4" } })).toContain("from v1.34 on by themselves; this one is v1.31.4");
    expect(remedyOf(psi, { sources, versions: { kubelet: "v1.36.0" } })).toContain("cgroup v2");
    expect(remedyOf(psi, { sources, versions: {} })).toContain("cgroup v2");
  });

  it.each(KUBELET_MINORS.map((one) => [one.minor, one] as const))("says of pressure what kubelets of 1.%i need", (number, { pressure }) => {
    const sources = [{ source: "kubelet", freshness: "fresh", lastMs: NOW_MS }] as const;
    const remedy = remedyOf(of({ signal: "daemon.cpu.psi_share", reason: "no PSI from this kubelet" }), { sources, versions: { kubelet: `v1.${number}.3` } });
    expect(remedy).toContain({ none: "from v1.34 on by themselves; this one is", "behind-feature": "only with the feature KubeletPSI switched on", on: "needs cgroup v2" }[pressure]);
  });

  it("says of a metric that is not on a page that was read whether this kubelet is known to have it", () => {
    const gone = of({ reason: FAMILY_GONE });
    expect(remedyOf(gone, { sources: [], versions: { kubelet: "v1.31.4" } })).toContain("Kubelets of v1.31 report it");
    expect(remedyOf(gone, { sources: [], versions: { kubelet: "v1.52.0" } })).toContain("v1.28 to v1.37 have this one, and v1.52.0 is none of them");
    expect(remedyOf(gone, { sources: [], versions: {} })).toContain("another name");
  });

  it("reads a kubelet's minor version, and none where there is none", () => {
    expect([minorOf("v1.28.0"), minorOf("v1.37.2-eks-1"), minorOf("2.0"), minorOf(""), minorOf(undefined)]).toEqual([28, 37, undefined, undefined, undefined]);
  });

  it("is said for every signal of a node that nobody tells of", () => {
    for (const now of bare.signals) if (now.state !== "fresh" && !nothingToSee(now)) expect([now.signal, remedyOf(now, { ...bare, sources: [], versions: node().versions })]).toEqual([now.signal, expect.stringMatching(/\.$/)]);
  });
});
