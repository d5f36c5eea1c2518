import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CauseCode } from "../domain/causes/codes";
import type { CauseView, FiringCause } from "../domain/causes/types";
import type { NodeView } from "../domain/node-view";
import { captureInFolder, committedCapture, committedCaptures, momentsOf, type Capture } from "./testing/captures/capture";
import { captureLog } from "./testing/captures/capture-log";
import { changed, only, renamed, shifted, suffixed, withCarriageReturns, withHalfTheEvents, withOddFiles, without, type Change } from "./testing/captures/changed";
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
    "-lifted": nothing("just lifted: the pods were not captured, and nothing of the node speaks against it"),
    "-before-lift": { causes: { "daemon-cpu-throttled": "named", "daemon-slow": "named", "retry-storm": "named", "teardown-failed": "named" }, roots: ["daemon-cpu-throttled"], why: "ten minutes in: almost only Normal events, 2,015 connections for 59 shims" },
  },
  "multus/oom-loop": { "": { causes: { "daemon-oom": "named" }, why: "four kills in two minutes; the pods have just come up" }, "-after": nothing("the limit was lifted with a new pod, and all pods run") },
  "multus/install-deadlock-cp-f": {
    "": { causes: { "install-deadlock": "named", "daemon-down": "named" }, roots: ["install-deadlock"], why: "the init container cannot write over the shim that 21 waiting calls hold" },
    "-after": nothing("mended; that the waiting calls met the limit of 50Mi all at once was two minutes ago"),
  },
  "multus/stale-socket": { "": { causes: { "stale-socket": "named" }, why: "three consumers see the socket of before the restart; pods start" }, "-no-socket": nothing("a consumer waits for its mount, as it should") },
};

const HOUR_MS = 3_600_000;
/** The same trial on another node of another cluster, whose clock is two hours ahead of UTC and passes midnight meanwhile. */
const ELSEWHERE: readonly Change[] = [
  renamed({ "node-1": "ip-10-0-3-7.ec2.internal", "kube-system": "network-plugins", "kube-multus-ds": "cozy-multus", "load-": "web-", "by-file": "controller-0", "a-no-": "lacks-" }),
  shifted(-200 * 24 * HOUR_MS + 11 * HOUR_MS, { minutes: 120, text: "+0200" }),
  suffixed("-after", "-mended"),
  suffixed("-bypass", "-3-bypassed"),
  suffixed("-before-lift", "-late"),
  withOddFiles,
  withCarriageReturns,
];
const SUFFIXES: Readonly<Record<string, string>> = { "-after": "-mended", "-bypass": "-3-bypassed", "-before-lift": "-late" };

interface Less {
  readonly of: string;
  readonly suffix?: string;
  readonly change: Change;
  readonly words: string;
  readonly causes: Row["causes"];
}

/** What a capture still shows where something of it is missing: what can be seen is named, what cannot is not, and nothing else is. */
const LESS: readonly Less[] = [
  { of: "install-deadlock-cp-f", change: without("daemonset"), words: "its DaemonSet: a pod tells which one owns it", causes: { "install-deadlock": "named", "daemon-down": "named" } },
  { of: "install-deadlock-cp-f", change: without("files", "cgroups", "sandboxes", "summary"), words: "what an agent tells", causes: { "install-deadlock": "named", "daemon-down": "named" } },
  { of: "install-deadlock-cp-f", change: without("pods"), words: "its pods", causes: { "daemon-down": "suspected" } },
  { of: "oom-loop", change: without("samples"), words: "its course: four restarts of a young pod are a loop", causes: { "daemon-oom": "named" } },
  { of: "oom-loop", change: without("samples", "daemonset", "files", "cgroups", "sandboxes"), words: "all but what the API tells of pods", causes: { "daemon-oom": "named" } },
  { of: "oom-loop", change: without("started"), words: "the day on which it began", causes: { "daemon-oom": "named" } },
  { of: "oom-loop", suffix: "-after", change: without("samples", "daemonset"), words: "its course and DaemonSet", causes: {} },
  { of: "stale-socket", change: without("summary"), words: "what consumers see: they are older than the daemon", causes: { "stale-socket": "suspected" } },
  { of: "stale-socket", change: without("files"), words: "the listing of the node", causes: { "stale-socket": "named" } },
  { of: "stale-socket", change: without("pods"), words: "its pods", causes: {} },
  { of: "retry-storm", change: without("files"), words: "the listing of the node", causes: { "daemon-cpu-throttled": "named", "daemon-slow": "suspected", "retry-storm": "named", "teardown-failed": "named" } },
  { of: "retry-storm", change: without("kubelet-metrics", "cadvisor-metrics"), words: "the kubelet's pages: the runtime lists its sandboxes", causes: { "daemon-cpu-throttled": "named", "daemon-slow": "named", "retry-storm": "named" } },
  { of: "retry-storm", change: without("daemonset", "events"), words: "its DaemonSet and events", causes: { "daemon-cpu-throttled": "named", "daemon-slow": "named", "retry-storm": "named" } },
  { of: "retry-storm", change: withHalfTheEvents, words: "half of its events", causes: { "daemon-cpu-throttled": "named", "daemon-slow": "named", "retry-storm": "named", "teardown-failed": "named" } },
  { of: "retry-storm", suffix: "-before-lift", change: without("events"), words: "its events", causes: { "daemon-cpu-throttled": "named", "daemon-slow": "named", "retry-storm": "named" } },
  { of: "missing", change: without("files"), words: "the listing of the node", causes: { "plugin-binary-missing": "suspected", "nad-missing": "named", "cni-config-invalid": "suspected" } },
  { of: "missing", change: without("events"), words: "its events", causes: {} },
  { of: "missing", suffix: "-bypass", change: without("files"), words: "the listing of the node", causes: { "silent-bypass": "named" } },
  { of: "missing", suffix: "-bypass", change: without("events"), words: "the events that would tell of a network", causes: { "silent-bypass": "suspected" } },
  { of: "missing", suffix: "-gap", change: without("daemonset", "files"), words: "its DaemonSet and the listing of the node", causes: { "silent-bypass": "named" } },
  { of: "healthy", change: only("pods"), words: "all but its pods", causes: {} },
];

const firing = ({ causes }: NodeView): readonly (CauseView | FiringCause)[] => causes.flatMap((root) => [root, ...root.consequences]);

const namedOf = (view: NodeView): Row["causes"] => Object.fromEntries(firing(view).map(({ code, certainty }) => [code, certainty]));
const summariesOf = (view: NodeView): string => firing(view).map(({ summary }) => summary).join("\n");

async function viewAtEnd(capture: Capture, suffix: string): Promise<NodeView> {
  const log = await captureLog(capture, suffix);
  const [view] = replayed(log, [log.judgeMs]);
  if (view === undefined) throw new Error("the log is judged once");
  return view;
}

describe("a recorded capture, replayed", () => {
  for (const [name, rows] of Object.entries(TABLE)) {
    for (const [suffix, row] of Object.entries(rows)) {
      it(`${name}${suffix} names ${Object.keys(row.causes).join(", ") || "nothing"}: ${row.why}`, async () => {
        const view = await viewAtEnd(committedCapture(name), suffix);
        expect(namedOf(view), summariesOf(view)).toEqual(row.causes);
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

describe("a capture of the same failure", () => {
  const multus = Object.entries(TABLE).filter(([name]) => name.startsWith("multus/"));
  it.each(multus.flatMap(([name, rows]) => Object.entries(rows).map(([suffix, row]) => ({ name, suffix, row }))))("of another node, cluster, day and zone, with other names of moments and files of no kind, names the same: $name$suffix", async ({ name, suffix, row }) => {
    const view = await viewAtEnd(changed(committedCapture(name), ...ELSEWHERE), SUFFIXES[suffix] ?? suffix);
    expect(namedOf(view), summariesOf(view)).toEqual(row.causes);
  });

  it.each(LESS)("without $words names what is still to be seen: $of$suffix", async ({ of, suffix = "", change, causes }) => {
    const view = await viewAtEnd(changed(committedCapture(`multus/${of}`), change), suffix);
    expect(namedOf(view), summariesOf(view)).toEqual(causes);
  });

  it("is judged by what is whole where a file broke off", async () => {
    const capture = committedCapture("multus/retry-storm");
    const cut = changed(capture, (files) => [...files].map(([file, text]) => [file, file === "events.json" || file === "sandboxes.json" ? text.slice(0, text.length / 2) : text]));
    expect(namedOf(await viewAtEnd(cut, ""))).toEqual({ "daemon-cpu-throttled": "named", "daemon-slow": "named", "retry-storm": "named" });
  });
});
