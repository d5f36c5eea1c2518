import { describe, expect, it } from "vitest";
import { mergeHurt, roleOf, trackHurt, workloadOf } from "./hurt";
import { T0, waitingPod } from "./testing/looks";

const none = () => undefined;

describe("the workload of a pod", () => {
  it.each([
    ["ReplicaSet/web-6d5f8c7b9f", "web-6d5f8c7b9f-x2x4z", "Deployment", "web"],
    ["ReplicaSet/web-canary", "web-canary-abcde", "ReplicaSet", "web-canary"],
    ["Job/backup-29384756", "backup-29384756-x2x4z", "CronJob", "backup"],
    ["Job/migrate", "migrate-abcde", "Job", "migrate"],
    ["StatefulSet/db", "db-0", "StatefulSet", "db"],
    [undefined, "probe", "Pod", "probe"],
  ])("owned by %s is found as a person names it", (owner, pod, kind, name) => {
    expect(workloadOf(owner, pod)).toEqual({ kind, name });
  });
});

describe("the role of a workload", () => {
  it.each([
    ["coredns", true, "DNS"], ["node-local-dns", true, "DNS"], ["ebs-csi-node", true, "storage"], ["cert-manager-webhook", false, "webhook"], ["kube-multus-ds", true, "network"], ["metrics-server", true, "system"], ["web", false, undefined], ["dnsmasq-lab", false, undefined],
  ])("%s", (name, system, role) => {
    expect(roleOf(name, system)).toBe(role);
  });
});

describe("who is hurt", () => {
  it("is what others need first, then the workload with most pods that wait, each since its first pod waited", () => {
    const pods = [
      waitingPod("web-1", { owner: "ReplicaSet/web-6d5f8c7b9f", hold: { kind: "waiting", sinceMs: T0 + 5_000, stuck: true } }),
      waitingPod("web-2", { owner: "ReplicaSet/web-6d5f8c7b9f", hold: { kind: "waiting", sinceMs: T0 + 2_000, stuck: true } }),
      waitingPod("job-1", { owner: "Job/backup-29384756" }),
      waitingPod("coredns-1", { namespace: "kube-system", system: true, owner: "ReplicaSet/coredns-5d78c9869d" }),
      waitingPod("held", { hold: { kind: "own-request", sinceMs: T0, because: "the NAD is missing" } }),
    ];
    const hurt = trackHurt([], pods, (key) => (key === "default/Deployment/web" ? { started: 4, replicas: 6 } : undefined), T0 + 60_000);
    expect(hurt.map(({ kind, name, waiting, role }) => [kind, name, waiting, role])).toEqual([["Deployment", "coredns", 1, "DNS"], ["Deployment", "web", 2, undefined], ["CronJob", "backup", 1, undefined]]);
    expect(hurt[1]).toMatchObject({ sinceMs: T0 + 2_000, started: 4, replicas: 6 });
  });

  it("stays told once its pods wait no longer, with when that was, and is hurt again where they do", () => {
    const pod = waitingPod("web-1", { owner: "ReplicaSet/web-6d5f8c7b9f" });
    const first = trackHurt([], [pod], none, T0 + 60_000);
    const over = trackHurt(first, [], none, T0 + 90_000);
    expect(over).toMatchObject([{ name: "web", waiting: 0, mostWaiting: 1, toMs: T0 + 90_000 }]);
    expect(trackHurt(over, [], none, T0 + 120_000)).toEqual(over);
    const again = trackHurt(over, [pod], none, T0 + 150_000);
    expect(again[0]?.toMs).toBeUndefined();
  });

  it("on several nodes is one list, a workload counted once with all its pods", () => {
    const one = trackHurt([], [waitingPod("a", { owner: "ReplicaSet/web-6d5f8c7b9f" })], none, T0);
    const other = trackHurt(trackHurt([], [waitingPod("b", { owner: "ReplicaSet/web-6d5f8c7b9f" })], none, T0), [], none, T0 + 5_000);
    expect(mergeHurt([one, other])).toMatchObject([{ name: "web", waiting: 1, mostWaiting: 2 }]);
    expect(mergeHurt([one, other])[0]?.toMs).toBeUndefined();
  });
});
