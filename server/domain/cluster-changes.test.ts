import { describe, expect, it } from "vitest";
import { configChanges, daemonChanges, rolloutChange, rolloutOf } from "./cluster-changes";
import type { DaemonSetObject } from "./model";
import type { RevisionsReading } from "./observation";
import type { DaemonView } from "./node-view";
import { daemonSet } from "./testing/builders";

const T0 = Date.UTC(2026, 2, 17, 2, 0, 0);
const daemon = (over: Partial<DaemonView> = {}): DaemonView => ({ daemonSet: "kube-system/kube-multus-ds", pod: "kube-multus-ds-a", container: "kube-multus", ready: true, restarts: 0, oomKillsMs: [], ...over });
const changes = (before: DaemonView, after: DaemonView) => daemonChanges({ daemons: [before] }, { name: "node-07", daemons: [after] }, T0);

describe("what happened to a CNI daemon between two looks", () => {
  it("is nothing where it is the same, or was never looked at before", () => {
    expect(changes(daemon({ restarts: 3 }), daemon({ restarts: 3 }))).toEqual([]);
    expect(daemonChanges(undefined, { name: "node-07", daemons: [daemon({ restarts: 3 })] }, T0)).toEqual([]);
  });

  it("is a restart with how it ended, at the time at which it ended", () => {
    const after = daemon({ restarts: 2, lastTermination: { reason: "Error", exitCode: 1, atMs: T0 - 9_000 } });
    expect(changes(daemon({ restarts: 1 }), after)).toEqual([{ kind: "daemon-restarted", atMs: T0 - 9_000, node: "node-07", subject: "kube-system/kube-multus-ds", text: "kube-multus restarted, 2 restarts by now: Error, exit code 1" }]);
  });

  it("is each OOM kill once, and no restart beside it", () => {
    const after = daemon({ restarts: 3, memoryLimitBytes: 2 ** 30, oomKillsMs: [T0 - 60_000, T0 - 30_000, T0 - 5_000] });
    expect(changes(daemon({ restarts: 1, oomKillsMs: [T0 - 60_000] }), after).map(({ kind, atMs, text }) => [kind, atMs, text])).toEqual([
      ["daemon-oom-killed", T0 - 30_000, "kube-multus was killed for memory at its limit of 1 Gi"],
      ["daemon-oom-killed", T0 - 5_000, "kube-multus was killed for memory at its limit of 1 Gi"],
    ]);
  });

  it("is a new pod with the revision and image that changed", () => {
    const [change] = changes(daemon({ revision: "aaa", image: "multus:v4" }), daemon({ pod: "kube-multus-ds-b", revision: "bbb", image: "multus:v5" }));
    expect(change).toMatchObject({ kind: "daemon-replaced", text: "Pod kube-multus-ds-a was replaced by kube-multus-ds-b, revision aaa to bbb, image multus:v4 to multus:v5" });
  });
});

function told(before: DaemonSetObject, after: DaemonSetObject, reading?: RevisionsReading) {
  const rollout = rolloutOf(before, after, T0);
  if (rollout === undefined) throw new Error("no rollout");
  return rolloutChange(rollout, reading);
}

describe("a rollout", () => {
  it("is told once for each generation, with the lines that differ", () => {
    const before = daemonSet({ generation: 7, images: ["multus:v4"] });
    const after = daemonSet({ generation: 8, images: ["multus:v5"], containers: [{ name: "install-multus-binary", init: true }, { name: "kube-multus", init: false, cpuLimitCores: 2, memoryLimitBytes: 2 ** 32 }] });
    expect(told(before, after)).toEqual({
      kind: "rollout",
      atMs: T0,
      subject: "kube-system/kube-multus-ds",
      text: "Generation 7 to 8; what differs in arguments and environment was not told",
      diff: [
        "- image multus:v4",
        "+ image multus:v5",
        "- resources kube-multus: CPU limit 100m CPU, request none; memory limit 50 Mi, request none",
        "+ resources kube-multus: CPU limit 2 CPU, request none; memory limit 4 Gi, request none",
      ].join("\n"),
    });
    expect(rolloutOf(after, after, T0)).toBeUndefined();
    expect(rolloutOf(after, { ...after, uid: "another", generation: 1 }, T0)).toBeUndefined();
  });

  const next = (over: Partial<DaemonSetObject> = {}) => [daemonSet({ generation: 1 }), daemonSet({ generation: 2, ...over })] as const;

  it("has the lines of its two revisions where they were read, and how it rolls beside them", () => {
    const change = told(...next({ images: ["multus:v5"], maxUnavailable: "10%" }), { looked: true, from: 3, to: 4, lines: ["- kube-multus: image a", "+ kube-multus: image b"], others: ["spec.tolerations"] });
    expect(change.text).toBe("Generation 1 to 2, revision 3 to 4; not shown, but different too: spec.tolerations");
    expect(change.diff?.split("\n")).toEqual(["- kube-multus: image a", "+ kube-multus: image b", expect.stringMatching(/^- update/), "+ update RollingUpdate, at most 10% unavailable"]);
  });

  it("says where only something differs that is not shown, or nothing", () => {
    expect(told(...next(), { looked: true, from: 3, to: 4, lines: [], others: ["metadata.annotations"] })).toMatchObject({ text: "Generation 1 to 2, revision 3 to 4; what differs is not shown: metadata.annotations" });
    expect(told(...next(), { looked: true, from: 3, to: 4, lines: [], others: [] }).text).toContain("their templates are the same");
  });

  it("says why its revisions could not be read, and shows what the DaemonSet itself tells", () => {
    const change = told(...next({ images: ["multus:v5"] }), { looked: false, reason: "the right to list controllerrevisions.apps is missing" });
    expect(change.text).toContain("the right to list controllerrevisions.apps is missing");
    expect(change.diff).toContain("+ image multus:v5");
  });
});

it("a changed file of the conf dir carries its diff", () => {
  expect(configChanges("node-07", [{ file: "00-multus.conf", atMs: T0, change: "changed", diff: "- a\n+ b" }])).toEqual([{ kind: "config", atMs: T0, node: "node-07", subject: "00-multus.conf", text: "00-multus.conf was changed", diff: "- a\n+ b" }]);
});
