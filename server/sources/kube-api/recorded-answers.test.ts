import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { AGENT_REPORT_VERSION, type AgentReport, type SandboxReading } from "../../domain/agent-report";
import { buildView } from "../../domain/build-view";
import { cniDaemonOf, type CniDaemon } from "../../domain/cni-daemons";
import { trackFresh } from "../../domain/fresh";
import { parseNodeName } from "../../domain/ids";
import type { DaemonSetObject, EventObject, NodeObject, PodObject } from "../../domain/model";
import type { NodeView } from "../../domain/node-view";
import type { NodeWindow } from "../../domain/node-window";
import { AGENT_PERIOD_MS, FRESH_PERIODS } from "../../domain/sources";
import { DEFAULT_THRESHOLDS } from "../../domain/thresholds";
import { IGNORED, makeProjector } from "./project";

/**
 * The truth table over recorded clusters: what each capture was, and the answer that it must give. Each moment is judged
 * by what the API held, with every source counted fresh and the clock 120 s after the moment of the capture, which is the newest time that
 * the capture itself holds (an event, a condition's transition or heartbeat, a creation, started.txt). Moments of one capture
 * follow each other as a collector would see them, so that the newest fresh sandbox is remembered. See recorded/MANIFEST.md.
 * Why moments of `multus/oom-loop` and `multus/stale-socket` are yes: docs/decisions/0096-recorded-moments-that-are-yes.md.
 */
const AFTER_CAPTURE_MS = 120_000;
const FOLDER = path.join(import.meta.dirname, "recorded");

type Row = { readonly state: "yes" | "no" | "unknown"; readonly row: number; readonly atRisk?: true; readonly idle?: true; readonly ownRequest?: number; readonly other?: number; readonly waiting?: number };
type Table = Readonly<Record<string, Readonly<Record<string, Row & { readonly why: string }>>>>;

const starts = { state: "yes", row: 5 } as const;
const noneStarts = { state: "no", row: 3 } as const;
const blocked = { state: "no", row: 2 } as const;
const mended = { ...starts, why: "mended: both pods started" } as const;

const TABLE: Table = {
  "containerd-1.6.20/none": { "": { ...starts, why: "healthy" }, "-after": { ...starts, why: "healthy" } },
  "containerd-1.6.20/daemon": { "": { ...starts, why: "the stand-in daemon works" }, "-after": { ...starts, why: "the stand-in daemon works" } },
  "containerd-1.6.20/no-addresses": { "": { state: "yes", row: 4, atRisk: true, waiting: 1, why: "one of two pods got the last address" }, "-after": mended },
  "containerd-1.6.20/missing-binary": { "": { ...noneStarts, waiting: 2, why: "one Warning per pod, then only SandboxChanged" }, "-after": mended },
  "containerd-1.6.20/missing-config": { "": { ...blocked, waiting: 2, why: "the runtime's network is not initialized" }, "-after": mended },
  "containerd-1.6.20/bad-config": { "": { ...blocked, waiting: 2, why: "the runtime's network is not initialized" }, "-after": mended },
  "containerd-1.6.20/unnoticed-config": { "": { ...blocked, waiting: 2, why: "a FailedMount of a moment came before NetworkNotReady, so the pods wait for the network" }, "-after": mended },
  "containerd-1.6.20/daemon-dead": { "": { ...noneStarts, waiting: 2, why: "connection refused at each try" }, "-after": mended },
  "containerd-1.6.20/daemon-gone": { "": { ...noneStarts, waiting: 2, why: "no such file at each try" }, "-after": mended },
  "containerd-1.6.20/strict-del.daemon-dead": { "": { ...noneStarts, waiting: 2, why: "one Warning per pod, then only SandboxChanged" }, "-after": mended },
  "containerd-1.6.20/wait-60.daemon-dead": { "": { ...noneStarts, waiting: 2, why: "the shim waits 60 s for its daemon" }, "-after": mended },
  "containerd-1.6.20/daemon-slow": { "": { ...noneStarts, waiting: 2, why: "four minutes without any event, then DeadlineExceeded" }, "-after": mended },
  "containerd-1.6.20/runtime-dead": { "": { ...noneStarts, waiting: 2, why: "no event and no condition at all: only the dwell since the pods were made" }, "-after": mended },
  "containerd-2.4.2/none": { "": { ...starts, why: "healthy" }, "-after": { ...starts, why: "healthy" } },
  "containerd-2.4.2/missing-binary": { "": { ...noneStarts, waiting: 2, why: "a Warning about every 15 s" }, "-after": mended },
  "containerd-2.4.2/missing-config": { "": { ...blocked, waiting: 2, why: "the runtime's network is not initialized" }, "-after": mended },
  "containerd-2.4.2/bad-config": { "": { ...blocked, waiting: 2, why: "a FailedMount of a moment came before NetworkNotReady, so the pods wait for the network" }, "-after": mended },
  "containerd-2.4.2/unnoticed-config": { "": { ...blocked, waiting: 2, why: "the runtime's network is not initialized" }, "-after": mended },
  "containerd-2.4.2/daemon-dead": { "": { ...noneStarts, waiting: 2, why: "connection refused at each try" }, "-after": mended },
  "multus/healthy": { "": { ...starts, why: "three pods started, two with a second network" } },
  "multus/missing": {
    "": { state: "yes", row: 6, idle: true, ownRequest: 4, waiting: 0, why: "each of the four pods asks for something that is not there; nothing else was tried" },
    "-bypass": { ...starts, atRisk: true, why: "pods start, and some that ask for networks came up without" },
    "-gap": { ...starts, why: "22 pods started through a restart of the daemon, one of them without its second network: a notice, since that is over" },
  },
  "multus/retry-storm": {
    "": { ...noneStarts, waiting: 100, why: "three minutes in: no pod of 100 started" },
    "-before-lift": { ...noneStarts, waiting: 100, why: "ten minutes in: almost only Normal events, no pod of 100 started" },
  },
  "multus/oom-loop": {
    "": { ...starts, atRisk: true, why: "captured after the loop had ended by itself: all 60 pods run, and the daemon restarted four times in the four minutes of its pod" },
    "-after": { ...starts, why: "all 60 pods run" },
  },
  "multus/install-deadlock-cp-f": {
    "": { ...noneStarts, waiting: 24, why: "the last sandboxes became ready in the seconds in which the others were lost; of the 24 that wait, 22 began after them and none started (docs/decisions/0025)" },
    "-after": { ...starts, why: "all 30 pods run" },
  },
  "multus/stale-socket": {
    "": { ...starts, why: "the consumer's mount is stale; pods start" },
    "-no-socket": { ...starts, other: 1, waiting: 0, why: "a consumer that mounts the socket waits for the mount, not for a sandbox; others started two minutes before" },
  },
};

type Files = Readonly<Record<string, unknown>>;
const bundle = (name: string): Files => JSON.parse(gunzipSync(readFileSync(path.join(FOLDER, `${name}.json.gz`))).toString("utf8")) as Files;
const itemsOf = (file: unknown): readonly unknown[] => (typeof file === "object" && file !== null && "items" in file && Array.isArray(file.items) ? file.items : []);

interface Moment {
  readonly node: NodeObject;
  readonly pods: ReadonlyMap<string, PodObject>;
  readonly events: ReadonlyMap<string, readonly EventObject[]>;
  readonly daemons: readonly CniDaemon[];
  readonly sandboxes?: readonly SandboxReading[];
  readonly atMs: number;
}

/** Newest time anywhere in these parts of a capture. */
function newestMs(...parts: readonly unknown[]): number {
  const times = [...JSON.stringify(parts).matchAll(/"(?:lastTimestamp|eventTime|creationTimestamp|lastTransitionTime|lastHeartbeatTime|lastObservedTime|startedAt|finishedAt)":"([^"]+)"/g)].map(([, text = ""]) => Date.parse(text));
  return Math.max(...times);
}

/** A node of which the capture holds nothing: as after mending, where only pods and events were kept. */
function nodeNotCaptured(): NodeObject {
  const name = parseNodeName("node-1");
  if (name === undefined) throw new Error("node-1 is a name");
  return { name, uid: "not-captured", unschedulable: false, taints: [], conditions: [], addresses: [], versions: {}, allocatable: {} };
}

function momentOf(files: Files, suffix: string): Moment {
  const daemonSets = new Map<string, DaemonSetObject>();
  const daemons: CniDaemon[] = [];
  const projector = makeProjector({ isDaemonPod: (_, daemonSet) => daemonSet !== undefined, daemonSet: (key) => daemonSets.get(key) });
  const rawDaemonSet = files[`daemonset${suffix}.json`];
  for (const raw of itemsOf(rawDaemonSet).length > 0 ? itemsOf(rawDaemonSet) : rawDaemonSet === undefined ? [] : [rawDaemonSet]) {
    const daemonSet = projector.daemonSet(raw);
    const daemon = daemonSet === undefined ? undefined : cniDaemonOf(daemonSet, []);
    if (daemonSet === undefined || daemon === undefined) continue;
    daemonSets.set(daemon.key, daemonSet);
    daemons.push(daemon);
  }
  const pods = new Map<string, PodObject>();
  for (const raw of itemsOf(files[`pods${suffix}.json`])) {
    const pod = projector.pod(raw);
    if (pod !== undefined) pods.set(pod.uid, pod);
  }
  const events = new Map<string, EventObject[]>();
  for (const raw of itemsOf(files[`events${suffix}.json`])) {
    const event = projector.event(raw);
    if (event === undefined || event === IGNORED || event.about.uid === undefined) continue;
    events.set(event.about.uid, [...(events.get(event.about.uid) ?? []), event]);
  }
  const rawNode = files[`node${suffix}.json`];
  const sandboxes = files[`sandboxes${suffix}.json`];
  return {
    node: (rawNode === undefined ? undefined : projector.node(rawNode)) ?? nodeNotCaptured(),
    pods,
    events,
    daemons,
    ...(Array.isArray(sandboxes) ? { sandboxes: sandboxes.map(readingOf) } : {}),
    atMs: newestMs(files[`pods${suffix}.json`], files[`events${suffix}.json`] ?? {}, rawNode ?? {}),
  };
}

/** One entry of the runtime's own list; state 0 is ready, and a negative creation time is nonsense. */
function readingOf(raw: { readonly id: string; readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string; readonly attempt?: number }; readonly state?: number; readonly created_at?: number }): SandboxReading {
  const { id, metadata, state = 0, created_at: createdNs = 0 } = raw;
  return { id, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid, attempt: metadata.attempt ?? 0, ready: state === 0, ...(createdNs > 0 ? { createdMs: createdNs / 1e6 } : {}) };
}

function reportOf(sandboxes: readonly SandboxReading[], atMs: number): AgentReport {
  const notLooked = { looked: false, reason: "not captured" } as const;
  return { version: AGENT_REPORT_VERSION, node: "node-1", startId: "recorded", sequence: 1, atMs, agentVersion: "recorded", runtime: notLooked, sandboxes: { looked: true, items: sandboxes, tookSeconds: 0.01, truncated: false }, sockets: notLooked, config: notLooked };
}

function judged(moment: Moment, lastFreshMs: number | undefined, withAgent: boolean): NodeView {
  const nowMs = moment.atMs + AFTER_CAPTURE_MS;
  const report = withAgent && moment.sandboxes !== undefined ? reportOf(moment.sandboxes, nowMs) : undefined;
  const window: NodeWindow = {
    node: moment.node,
    pods: moment.pods,
    eventsAbout: (uid) => moment.events.get(uid) ?? [],
    kinds: (["nodes", "pods", "events", "daemonsets", "nads"] as const).map((kind) => ({ kind, state: "watching", lastMs: nowMs, objects: 1 })),
    daemons: moment.daemons,
    daemonSets: [],
    nads: new Map(),
    nadPluginTypes: new Set(),
    trends: new Map(),
    agent: { configured: report !== undefined, freshForMs: FRESH_PERIODS * AGENT_PERIOD_MS, ...(report === undefined ? {} : { lastMs: nowMs, report }) },
    kubelet: { configured: false, freshForMs: 0 },
    latest: new Map(),
    ...(lastFreshMs === undefined ? {} : { lastFreshMs }),
    sockets: new Map(),
    cgroupKills: new Map(),
    oomKills: new Map(),
  };
  return buildView(window, nowMs, DEFAULT_THRESHOLDS);
}

/** Each moment of a capture in its order, with what was known of fresh sandboxes by then. */
function moments(name: string, suffixes: readonly string[]): readonly { readonly suffix: string; readonly moment: Moment; readonly lastFreshMs: number | undefined }[] {
  const files = bundle(name);
  let lastFreshMs: number | undefined;
  return suffixes.map((suffix) => {
    const moment = momentOf(files, suffix);
    for (const pod of moment.pods.values()) lastFreshMs = trackFresh(lastFreshMs, pod, moment.atMs);
    return { suffix, moment, lastFreshMs };
  });
}

for (const withAgent of [false, true]) {
  describe(`recorded captures ${withAgent ? "with the runtime's own list of sandboxes beside them" : "by the API alone"}`, () => {
    for (const [name, rows] of Object.entries(TABLE)) {
      for (const { suffix, moment, lastFreshMs } of moments(name, Object.keys(rows))) {
        const expected = rows[suffix];
        if (expected === undefined || (withAgent && moment.sandboxes === undefined)) continue;
        const { why, waiting, ownRequest, other, ...row } = expected;
        it(`${name}${suffix} is ${row.state}${row.atRisk ? ", at risk" : ""}${row.idle ? ", idle" : ""}: ${why}`, () => {
          const view = judged(moment, lastFreshMs, withAgent);
          const { state, atRisk, idle, row: matched } = view.answer;
          expect({ state, atRisk, idle, row: matched }, view.answer.summary).toEqual({ atRisk: false, idle: false, ...row });
          if (waiting !== undefined) expect(view.counts.waiting).toBe(waiting);
          if (ownRequest !== undefined) expect(view.counts.ownRequest).toBe(ownRequest);
          if (other !== undefined) expect(view.counts.other).toBe(other);
        });
      }
    }
  });
}

/** Objects of an older cluster (1.23, no PodReadyToStartContainers): what holds these pods is no sandbox. */
describe("recorded objects whose pods do not wait for a sandbox", () => {
  const files = bundle("objects/troubleshoot");
  const moment = (pods: unknown, events: string): Moment => momentOf({ "pods.json": pods, "events.json": files[events] }, "");
  const podFile = (name: string): unknown => files[`troubleshoot-pods-message-${name}.json`];

  it("a pod whose mount fails waits for something else, and gives no no", () => {
    const view = judged(moment(podFile("container-creating-failed-mount"), "troubleshoot-events-message-container-creating-failed-mount.json"), undefined, false);
    expect(view.counts).toMatchObject({ waiting: 0, stuck: 0, other: 1 });
    expect(view.waitingPods[0]?.hold).toMatchObject({ kind: "other", because: expect.stringContaining("FailedMount: Unable to attach or mount volumes: unmounted volumes=[host]") as string });
    expect(view.answer.state).not.toBe("no");
  });

  it("a pod whose image cannot be pulled has a sandbox, and gives no no", () => {
    const events = itemsOf(files["troubleshoot-events-message-image-pull-fail.json"]);
    const about = events.map((event) => (event as { reason: string; involvedObject: { name: string; namespace: string; uid: string }; firstTimestamp?: string }));
    const pull = about.find(({ reason }) => reason === "Pulling");
    // The capture holds the events alone. A pod without IP and conditions is the least that its status can have said.
    const pod = {
      metadata: { ...pull?.involvedObject, creationTimestamp: "2023-07-11T05:34:45Z" },
      spec: { nodeName: "node-1" },
      status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: "2023-07-11T05:34:45Z" }] },
    };
    const captured = moment({ items: [pod] }, "troubleshoot-events-message-image-pull-fail.json");
    expect(captured.pods.size).toBe(1);
    const view = judged(captured, undefined, false);
    expect(view.counts).toMatchObject({ waiting: 0, stuck: 0, other: 0, ownRequest: 0 });
    expect(view.answer.state).not.toBe("no");
    const silent = judged({ ...captured, events: new Map() }, undefined, false);
    expect(silent.counts.stuck, "without its events the same pod would be stuck").toBe(1);
  });

  it("a pod in a crash loop has a sandbox, and gives no no", () => {
    const captured = moment(podFile("pod-crashloop-backoff"), "troubleshoot-events-message-pod-init-crashloop-backoff.json");
    const view = judged(captured, undefined, false);
    expect(captured.pods.size).toBe(1);
    expect(view.counts).toMatchObject({ waiting: 0, stuck: 0, other: 0, ownRequest: 0 });
    expect(view.answer.state).not.toBe("no");
  });

  it("a pod that was OOM-killed and is finished waits for nothing", () => {
    const view = judged(moment(podFile("oomkill-pod"), "troubleshoot-events-message-image-pull-fail.json"), undefined, false);
    expect(view.counts).toMatchObject({ pods: 0, waiting: 0, stuck: 0 });
    expect(view.answer.state).not.toBe("no");
  });
});

describe("what the table stands on", () => {
  it("names by its own request what holds each pod of multus/missing", () => {
    const [first] = moments("multus/missing", [""]);
    if (first === undefined) throw new Error("the capture has a moment");
    const view = judged(first.moment, first.lastFreshMs, false);
    expect(Object.fromEntries(view.waitingPods.map(({ name, hold }) => [name, hold.kind === "own-request" ? hold.because : hold.kind]))).toEqual({
      "a-no-binary": 'Plugin "sriov-like", which a network that it asks for needs, is not on this node',
      "a-no-nad": 'Network attachment "not-there" does not exist',
      "a-other-ns": 'Network attachment "second-bridge" does not exist',
      "a-bad-config": "The config of a network attachment that it asks for cannot be parsed",
    });
  });

  it("sees the storm's second phase although fewer than one in ten of its newest events are Warnings", () => {
    const moment = momentOf(bundle("multus/retry-storm"), "-before-lift");
    const events = [...moment.events.values()].flat().filter(({ lastMs }) => lastMs >= moment.atMs - 120_000);
    expect(events.filter(({ type }) => type === "Warning").length / events.length).toBeLessThan(0.1);
    expect(judged(moment, undefined, false).answer.state).toBe("no");
  });

  it("has a row for every capture in the folder", () => {
    const names = readdirSync(FOLDER, { recursive: true }).map(String).filter((name) => name.endsWith(".json.gz") && !name.startsWith("objects"));
    expect(names.map((name) => name.replace(".json.gz", "")).sort()).toEqual(Object.keys(TABLE).sort());
  });
});
