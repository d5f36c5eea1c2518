import { describe, expect, it } from "vitest";
import type { ContainerCgroup } from "../agent-readings";
import { agentReport, namespace, node, objectName } from "../testing/builders";
import { diagnose } from "./diagnose";
import { oomVictimCandidate } from "./oom-victim-candidate";
import { causeCases, checked } from "./testing/cases";
import { daemonPod, detail, multus } from "./testing/daemons";
import { causeInput } from "./testing/input";
import { DEFAULT_RESOURCES } from "./testing/resources";
import { secondsAgo } from "./testing/texts";
import { NO_DIAGNOSIS } from "./types";

const GI = 2 ** 30;
const talos = { node: node({ versions: { os: "Talos (v1.12.3)" } }) };
/** As multus' own manifest has it: the daemon has a limit, its installer none. */
const shipped = multus(detail({ containers: DEFAULT_RESOURCES }));
const limited = DEFAULT_RESOURCES.map((one) => ({ ...one, memoryLimitBytes: GI }));
const csi = daemonPod(detail({ containers: [{ name: "csi", init: false, memoryLimitBytes: GI }, { name: "registrar", init: false }] }), { uid: "csi-uid", name: objectName("csi-node-x"), namespace: namespace("storage"), owner: "DaemonSet/csi-node" });
const cgroup = (podMemoryLimited: boolean): ContainerCgroup => ({ namespace: "kube-system", pod: "kube-multus-ds-abc", podUid: "multus-uid", container: "kube-multus", cni: "multus", cgroupVersion: 2, podMemoryLimited });

causeCases(oomVictimCandidate, {
  fires: [
    { name: "where an init container alone has no limit", certainty: "named", says: ["kube-system/kube-multus-ds", "init container install-multus-binary"], input: causeInput({ ...shipped, ...talos, report: null }) },
    { name: "for a sidecar of any system daemon too", certainty: "named", says: ["2 system daemons", "storage/csi-node (registrar)"], input: causeInput({ ...multus(detail({ containers: DEFAULT_RESOURCES }), { others: [csi] }), ...talos }) },
    { name: "measured in the pod's control group", certainty: "named", input: causeInput({ ...shipped, ...talos, report: agentReport({ cgroups: { looked: true, items: [cgroup(false)] } }) }) },
  ],
  almost: [
    { name: "where every container has a limit, whoever set it", input: causeInput({ ...multus(detail({ containers: limited })), ...talos }) },
    { name: "on a Talos from before that handler", input: causeInput({ ...shipped, node: node({ versions: { os: "Talos (v1.9.5)" } }) }) },
    { name: "on another system", input: causeInput({ ...shipped, node: node({ versions: { os: "Debian GNU/Linux 12 (bookworm)" } }) }) },
    { name: "where the pod's control group is limited all the same", input: causeInput({ ...shipped, ...talos, report: agentReport({ cgroups: { looked: true, items: [cgroup(true)] } }) }) },
    { name: "where the daemon was accepted as it is", input: causeInput({ ...shipped, ...talos, accepted: [{ code: "oom-victim-candidate", subject: "kube-system/kube-multus-ds", reason: "must not be killed at a limit", by: "anna", atMs: secondsAgo(60) }] }) },
    { name: "where the pod is being deleted", input: causeInput({ ...multus(detail({ containers: DEFAULT_RESOURCES }), { pod: { deleting: true } }), ...talos }) },
  ],
  missing: [
    { name: "cannot tell where the node does not tell its system", state: "unknown", says: "operating system", input: causeInput(shipped) },
    { name: "cannot tell where pods cannot be listed", state: "unknown", says: "Pods cannot be seen", input: causeInput({ ...talos, kind: (kind) => (kind === "pods" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
  ],
});

describe("a LimitRange of the namespace", () => {
  const filled = (limits: readonly string[]) => [{ container: "install-multus-binary", init: true, limits, requests: ["memory"] }];

  it("that filled in a limit is said beside a clear finding", () => {
    const [finding] = checked(oomVictimCandidate, causeInput({ ...multus(detail({ containers: limited, filledIn: filled(["memory"]) })), ...talos }));
    expect(finding?.state).toBe("clear");
    expect(finding?.evidence).toContainEqual(expect.objectContaining({ look: "seen", what: expect.stringContaining("that a LimitRange filled in") as string, value: "init container install-multus-binary" }));
  });

  it("that filled in none is said to be missing, also where it filled in something else", () => {
    for (const filledIn of [undefined, filled(["cpu"])]) {
      const [finding] = checked(oomVictimCandidate, causeInput({ ...multus(detail({ containers: DEFAULT_RESOURCES, ...(filledIn === undefined ? {} : { filledIn }) })), ...talos }));
      expect(finding?.state).toBe("firing");
      expect(finding?.evidence).toContainEqual(expect.objectContaining({ look: "not-seen", what: expect.stringContaining("A LimitRange that filled in a memory limit for init container install-multus-binary") as string }));
    }
  });
});

describe("an accepted exception", () => {
  it("stands in the evidence with its reason, and hides no other daemon", () => {
    const accepted = [{ code: "oom-victim-candidate" as const, subject: "kube-system/kube-multus-ds", reason: "must not be killed at a limit", by: "anna", atMs: secondsAgo(60) }];
    const [finding] = checked(oomVictimCandidate, causeInput({ ...multus(detail({ containers: DEFAULT_RESOURCES }), { others: [csi] }), ...talos, accepted }));
    expect(finding?.summary).toContain("1 system daemon here has no memory limit");
    expect(finding?.evidence).toContainEqual(expect.objectContaining({ what: "kube-system/kube-multus-ds is accepted as it is by anna", value: "must not be killed at a limit", atMs: secondsAgo(60) }));
    expect(finding).toMatchObject({ subjects: ["storage/csi-node"], accepted: ["kube-system/kube-multus-ds"] });
  });

  it("is told of beside a clear finding, and one that nothing needs is not", () => {
    const accepted = ["kube-system/kube-multus-ds", "kube-system/gone"].map((subject) => ({ code: "oom-victim-candidate" as const, subject, reason: "known", by: "anna", atMs: secondsAgo(60) }));
    const { causes, acceptedCauses } = diagnose(causeInput({ ...shipped, ...talos, accepted }), NO_DIAGNOSIS, [oomVictimCandidate]);
    expect(causes).toEqual([]);
    expect(acceptedCauses).toEqual([{ code: "oom-victim-candidate", title: oomVictimCandidate.title, subjects: ["kube-system/kube-multus-ds"] }]);
  });

  it("of another cause counts for nothing", () => {
    const accepted = [{ code: "nad-missing" as const, subject: "kube-system/kube-multus-ds", reason: "known", by: "anna", atMs: secondsAgo(60) }];
    expect(checked(oomVictimCandidate, causeInput({ ...shipped, ...talos, accepted }))[0]?.state).toBe("firing");
  });
});

it("a young pod whose owner is not told is no candidate", () => {
  const { owner: _, ...orphan } = daemonPod(detail({ containers: DEFAULT_RESOURCES }), { createdMs: secondsAgo(5) });
  expect(checked(oomVictimCandidate, causeInput({ pods: new Map([[orphan.uid, orphan]]), ...talos }))[0]?.state).toBe("clear");
});
