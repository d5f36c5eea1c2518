import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CauseCode } from "../domain/causes/codes";
import type { CauseView, FiringCause } from "../domain/causes/types";
import type { NodeView } from "../domain/node-view";
import { captureInFolder, committedCapture, committedCaptures, momentsOf } from "./testing/captures/capture";
import { captureLog } from "./testing/captures/capture-log";
import { replayed } from "./testing/captures/replayed";
import { tempFolder } from "./testing/recordings";

/**
 * Every recorded capture as a log of observations through the pipeline into a store, and what is named at each of its moments:
 * this and nothing else. See testing/captures/capture-log.ts for how a capture becomes a log.
 */
interface Row {
  /** Everything that fires, roots and consequences alike. */
  readonly causes: Partial<Record<CauseCode, FiringCause["certainty"]>>;
  /** Roots, where not all are. */
  readonly roots?: readonly CauseCode[];
  readonly why: string;
}

/** The containerd captures hold no listing of the node, so that no agent's report can be made of them: what its look would name is suspected. */
const nothing = (why: string): Row => ({ causes: {}, why });
const mended = nothing("mended: both pods started");
const notLoaded: Row = { causes: { "cni-config-missing": "suspected" }, why: "the runtime has no config; whether the file is missing, broken or not loaded only the agent sees, and the capture has no listing of the folder" };
const refused: Row = { causes: { "daemon-down": "suspected" }, why: "texts alone say that nobody answers: the capture has no look at the socket, and the stand-in daemon has no DaemonSet" };
const binary = (why: string, causes: Row["causes"] = {}): Row => ({ causes: { "plugin-binary-missing": "suspected", ...causes }, roots: ["plugin-binary-missing"], why: `a text alone says so, since the capture has no listing of the bin dir; ${why}` });

const TABLE: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  "containerd-1.6.20/none": { "": nothing("healthy"), "-after": nothing("healthy") },
  "containerd-1.6.20/daemon": { "": nothing("the stand-in daemon works"), "-after": nothing("the stand-in daemon works") },
  "containerd-1.6.20/missing-binary": { "": binary("one text a pod, and then only failing DELs", { "teardown-failed": "named" }), "-after": mended },
  "containerd-1.6.20/missing-config": { "": notLoaded, "-after": mended },
  "containerd-1.6.20/unnoticed-config": { "": notLoaded, "-after": mended },
  "containerd-1.6.20/bad-config": { "": notLoaded, "-after": mended },
  "containerd-1.6.20/no-addresses": { "": { causes: { "ipam-exhausted": "suspected" }, why: "a text alone says so: the capture does not tell who holds the addresses" }, "-after": mended },
  "containerd-1.6.20/daemon-dead": { "": refused, "-after": mended },
  "containerd-1.6.20/daemon-gone": { "": refused, "-after": mended },
  "containerd-1.6.20/strict-del.daemon-dead": { "": { causes: { "daemon-down": "suspected", "teardown-failed": "named" }, roots: ["daemon-down"], why: "one text a pod that nobody answers, and then only failing DELs" }, "-after": mended },
  "containerd-1.6.20/wait-60.daemon-dead": { "": { causes: { "daemon-slow": "suspected" }, why: "the shim waited for a minute; by its words the daemon may be slow, of another version or gone" }, "-after": mended },
  "containerd-1.6.20/daemon-slow": { "": { causes: { "daemon-slow": "suspected" }, why: "calls outlived their deadline; the capture has no look at the socket" }, "-after": mended },
  "containerd-1.6.20/runtime-dead": { "": { causes: { "runtime-stuck-or-slow": "named" }, why: "the kubelet's page hangs while cAdvisor's comes, and pods wait without a word" }, "-after": mended },
  "containerd-2.4.2/none": { "": nothing("healthy"), "-after": nothing("healthy") },
  "containerd-2.4.2/missing-binary": { "": binary("each try says it again"), "-after": mended },
  "containerd-2.4.2/missing-config": { "": notLoaded, "-after": mended },
  "containerd-2.4.2/unnoticed-config": { "": notLoaded, "-after": mended },
  "containerd-2.4.2/bad-config": { "": notLoaded, "-after": mended },
  "containerd-2.4.2/daemon-dead": { "": refused, "-after": mended },
  "multus/healthy": { "": nothing("three pods started, two with a second network") },
  "multus/missing": {
    "": { causes: { "plugin-binary-missing": "named", "nad-missing": "named", "cni-config-invalid": "suspected" }, why: "each of the four pods asks for something that is not there or is broken; the capture holds no network attachments" },
    "-bypass": { causes: { "silent-bypass": "named" }, why: "pods that ask for a second network came up without, and 00-multus.conf is gone" },
    "-gap": { causes: { "silent-bypass": "named" }, why: "one of 22 pods came up in the second in which a restart left no config" },
  },
  "multus/retry-storm": {
    "": { causes: { "daemon-cpu-throttled": "named", "daemon-slow": "named", "retry-storm": "named", "teardown-failed": "named" }, roots: ["daemon-cpu-throttled"], why: "three minutes in: throttled in nearly every period, calls outlive their deadline" },
    "-before-lift": { causes: { "daemon-cpu-throttled": "named", "daemon-slow": "named", "retry-storm": "named", "teardown-failed": "named" }, roots: ["daemon-cpu-throttled"], why: "ten minutes in: almost only Normal events, 2,015 connections for 59 shims" },
  },
  "multus/oom-loop": { "": { causes: { "daemon-oom": "named" }, why: "four kills in two minutes; the pods have just come up" }, "-after": nothing("the limit was lifted with a new pod, and all pods run") },
  "multus/install-deadlock-cp-f": {
    "": { causes: { "install-deadlock": "named", "daemon-down": "named" }, roots: ["install-deadlock"], why: "the init container cannot write over the shim that 21 waiting calls hold" },
    "-after": nothing("mended; that the waiting calls met the limit of 50Mi all at once was two minutes ago"),
  },
  "multus/stale-socket": { "": { causes: { "stale-socket": "named" }, why: "three consumers see the socket of before the restart; pods start" }, "-no-socket": nothing("a consumer waits for its mount, as it should") },
};

const firing = ({ causes }: NodeView): readonly (CauseView | FiringCause)[] => causes.flatMap((root) => [root, ...root.consequences]);

describe("a recorded capture, replayed", () => {
  for (const [name, rows] of Object.entries(TABLE)) {
    for (const [suffix, row] of Object.entries(rows)) {
      it(`${name}${suffix} names ${Object.keys(row.causes).join(", ") || "nothing"}: ${row.why}`, async () => {
        const log = await captureLog(committedCapture(name), suffix);
        const [view] = replayed(log, [log.judgeMs]);
        if (view === undefined) throw new Error("the log is judged once");
        expect(Object.fromEntries(firing(view).map(({ code, certainty }) => [code, certainty])), firing(view).map(({ summary }) => summary).join("\n")).toEqual(row.causes);
        if (row.roots !== undefined) expect(view.causes.map(({ code }) => code)).toEqual(row.roots);
      });
    }
  }

  it("of the loop of kills names it while it lasts, from the course that was counted and the ends that were noted", async () => {
    const log = await captureLog(committedCapture("multus/oom-loop"), "");
    const at = log.sampledMs.filter((ms) => ms >= Date.parse("2026-11-30T11:23:05Z") && ms <= Date.parse("2026-11-30T11:24:15Z"));
    for (const view of replayed(log, at)) {
      expect(view.causes.map(({ code, certainty }) => [code, certainty]), view.answer.summary).toEqual([["daemon-oom", "named"]]);
      expect(view.causes[0]?.detail).toBe("loop");
    }
    expect(at.length).toBeGreaterThan(10);
  });

  it("is the same log where its files lie in one folder as they were taken", async () => {
    const capture = committedCapture("multus/stale-socket");
    const folder = tempFolder();
    try {
      for (const [name, text] of capture.files) writeFileSync(folder.file(name), text);
      expect(await captureLog(captureInFolder(folder.path, capture.runtimeRequestTimeoutSeconds), "")).toEqual(await captureLog(capture, ""));
    } finally {
      folder.remove();
    }
  });

  it("has a row for every moment of every capture in the repository", () => {
    const there = committedCaptures().map((name) => [name, momentsOf(committedCapture(name)).map(({ suffix }) => suffix).sort()]);
    expect(Object.fromEntries(Object.entries(TABLE).map(([name, rows]) => [name, Object.keys(rows).sort()]))).toEqual(Object.fromEntries(there));
  });
});
