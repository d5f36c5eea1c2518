import { describe, expect, it } from "vitest";
import type { SandboxReading } from "./agent-report";
import { buildView } from "./build-view";
import type { PodObject } from "./model";
import { agentSamples, apiSamples, isBacklog } from "./samples";
import type { Sample } from "./signals";
import { DEFAULT_THRESHOLDS } from "./thresholds";
import { NOW_MS, agentReport, event, nodeWindow, pod, secondsAgo, startedPod, waitingSince, watching } from "./testing/builders";

const byName = (samples: readonly Sample[]): Record<string, number> => Object.fromEntries(samples.map(({ signal, instance, value }) => [instance === "" ? signal : `${signal} ${instance}`, value]));

describe("samples of the API", () => {
  const pods = new Map<string, PodObject>([
    ["a", waitingSince(secondsAgo(300), { uid: "a" })],
    ["b", waitingSince(secondsAgo(20), { uid: "b" })],
    ["c", waitingSince(secondsAgo(200), { uid: "c" })],
    ["d", startedPod(secondsAgo(900), { uid: "d" })],
  ]);
  const eventsAbout = (uid: string) => (uid === "c" ? [event("FailedMount", secondsAgo(10))] : []);
  const view = (over = {}) => buildView(nodeWindow({ pods, eventsAbout, ...over }), NOW_MS, DEFAULT_THRESHOLDS);

  it("count the pods that are held, each way apart, and the longest dwell", () => {
    expect(byName(apiSamples(view(), NOW_MS))).toEqual({ "pods.waiting": 2, "pods.stuck": 1, "pods.own_request": 0, "pods.other_wait": 1, "pods.oldest_dwell": 300 });
  });

  it("tell a real zero, and no dwell, where no pod waits", () => {
    expect(byName(apiSamples(view({ pods: new Map() }), NOW_MS))).toEqual({ "pods.waiting": 0, "pods.stuck": 0, "pods.own_request": 0, "pods.other_wait": 0 });
  });

  it("are none while the API is stale or pods cannot be seen: no data is no zero", () => {
    expect(apiSamples(view({ kinds: watching(secondsAgo(200)) }), NOW_MS)).toEqual([]);
    expect(apiSamples(view({ kinds: watching().map((one) => (one.kind === "pods" ? { ...one, state: "forbidden", reason: "pods is forbidden" } : one)) }), NOW_MS)).toEqual([]);
  });
});

describe("samples of an agent", () => {
  const sandbox = (uid: string, ready: boolean): SandboxReading => ({ id: `${uid}-${String(ready)}`, uid, namespace: "default", name: uid, attempt: 0, ready });
  const items = [sandbox("running", true), sandbox("running", false), sandbox("waiting", false), sandbox("finished", false), sandbox("gone", false), sandbox("gone", false)];
  const looked = (over = {}) => agentReport({ sandboxes: { looked: true, items, tookSeconds: 0.25, truncated: false, ...over } });
  const live = new Map<string, PodObject>([
    ["running", startedPod(secondsAgo(90), { uid: "running" })],
    ["waiting", waitingSince(secondsAgo(90), { uid: "waiting" })],
    ["finished", waitingSince(secondsAgo(90), { uid: "finished", phase: "Succeeded" })],
  ]);

  it("count as backlog the dead sandboxes of pods that wait or are gone, by uid", () => {
    expect(byName(agentSamples(looked(), live, NOW_MS))).toEqual({ "cri.list_seconds": 0.25, "sandbox.ready": 1, "sandbox.dead": 5, "sandbox.backlog": 3 });
  });

  it("have no backlog while the node's pods are not known, and no counts from a list that was cut", () => {
    expect(byName(agentSamples(looked(), undefined, NOW_MS))).toEqual({ "cri.list_seconds": 0.25, "sandbox.ready": 1, "sandbox.dead": 5 });
    expect(byName(agentSamples(looked({ truncated: true }), live, NOW_MS))).toEqual({ "cri.list_seconds": 0.25 });
  });

  it("have the state of each socket, and how long its answer took where it gave one", () => {
    const report = agentReport({ sockets: { looked: true, items: [{ name: "multus", path: "/run/multus/multus.sock", state: "answers", latencySeconds: 0.002 }, { name: "cilium", path: "/var/run/cilium/cilium.sock", state: "absent" }] } });
    expect(byName(agentSamples(report, live, NOW_MS))).toEqual({ "socket.state /run/multus/multus.sock": 0, "socket.latency /run/multus/multus.sock": 0.002, "socket.state /run/cilium/cilium.sock": 3 });
  });

  it("are none of what it could not look at", () => {
    expect(agentSamples(agentReport(), live, NOW_MS)).toEqual([]);
  });

  it("do not count what a pod that is being deleted leaves behind, unless it never started", () => {
    expect(isBacklog(waitingSince(secondsAgo(9), { deleting: true, containerStartedMs: secondsAgo(900) }))).toBe(false);
    expect(isBacklog(waitingSince(secondsAgo(9), { deleting: true }))).toBe(true);
    expect(isBacklog(pod({ hasIp: true }))).toBe(false);
  });
});
