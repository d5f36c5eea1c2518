import { describe, expect, it } from "vitest";
import type { MultusConfig } from "../agent-readings";
import type { AgentReport } from "../agent-report";
import type { EventObject, PodObject } from "../model";
import { agentReport, event, namespace, objectName, startedPod } from "../testing/builders";
import { silentBypass } from "./silent-bypass";
import { causeCases, checked } from "./testing/cases";
import { daemonPod, daemons, detail, down, ended, multus } from "./testing/daemons";
import { causeInput } from "./testing/input";
import { socket } from "./testing/sockets";
import { secondsAgo } from "./testing/texts";

const passedBy = (name: string, readySeconds: number, over: Partial<PodObject> = {}): PodObject => startedPod(secondsAgo(readySeconds), { uid: `uid-${name}`, name: objectName(name), namespace: namespace("default"), networks: "second-bridge@net1", hasNetworkStatus: false, ...over });
const runsSince = (seconds: number) => detail({ running: [{ container: "kube-multus", init: false, sinceMs: secondsAgo(seconds) }] });
const config = (multusConfig: MultusConfig | undefined): Pick<AgentReport, "configFiles"> => ({ configFiles: { looked: true, reading: { dir: "/etc/cni/net.d", files: [], ...(multusConfig === undefined ? {} : { multus: multusConfig }) } } });
const gone = agentReport(config({ generated: false }));
const inPlace = agentReport(config({ generated: true, clusterNetwork: "10-bridge.conflist" }));
const answers = { sockets: [socket({ effective: false })] };
const absent = { sockets: [socket({ state: "absent", effective: false })] };
const attached = (uid: string): readonly EventObject[] => [event("AddedInterface", secondsAgo(90), { message: "Add eth0 [10.244.0.2/24] from bridge", about: { kind: "Pod", name: "p", uid } })];
const noEvents = { kind: (kind: string) => (kind === "events" ? ({ seen: false, reason: "forbidden" } as const) : ({ seen: true } as const)) };
const refusal = "2026-08-30T11:10:00Z [verbose] multus-daemon started\n2026-08-30T11:10:00Z [panic] startMultusDaemon failed to load the CNI server configuration: failed to unmarshall the daemon configuration: invalid character";

causeCases(silentBypass, {
  fires: [
    { name: "where 00-multus.conf is gone while the daemon runs, with the pods by name", certainty: "named", detail: "config-gone", says: ["default/second-net", "1 pod asks for networks", "00-multus.conf is gone"], input: causeInput({ ...multus(runsSince(600), { others: [passedBy("second-net", 60)] }), ...answers, report: gone }) },
    { name: "before any pod is hit", certainty: "named", detail: "config-gone", says: ["None has been hit yet"], input: causeInput({ ...multus(runsSince(600)), ...answers, report: gone }) },
    { name: "after two daemons overlapped: config and socket are both gone", certainty: "named", detail: "overlapping-daemons", input: causeInput({ ...multus(runsSince(600)), ...absent, report: gone }) },
    { name: "while two daemons run at once", certainty: "named", detail: "overlapping-daemons", says: ["2 daemons"], input: causeInput({ ...daemons([daemonPod(detail(), { deleting: true }), daemonPod(runsSince(45), { uid: "new", name: objectName("kube-multus-ds-new") }), passedBy("a", 600)]), report: null }) },
    { name: "in the gap of a restart of the daemon, by the API alone (recorded: one pod of 22)", certainty: "named", detail: "daemon-restart", says: ["default/tick-11", "gap of a restart"], input: causeInput({ ...multus(runsSince(90), { others: [passedBy("tick-11", 91)] }), report: null }) },
    { name: "where the daemon refuses its config, with its own words", certainty: "named", detail: "refused-config", says: ["failed to unmarshall the daemon configuration"], input: causeInput({ ...multus(down(300, { terminations: [ended({ finishedMs: secondsAgo(300), message: refusal })] }), { others: [passedBy("a", 60)] }), report: null }) },
    { name: "without an agent and without a restart, by the API alone", certainty: "named", says: ["The reason cannot be told"], input: causeInput({ ...multus(runsSince(3_000), { others: [passedBy("a", 60), passedBy("b", 600)] }), report: null }) },
    { name: "where multus' config is in place again", certainty: "named", says: ["00-multus.conf is there now"], input: causeInput({ ...multus(runsSince(3_000), { others: [passedBy("a", 600)] }), ...answers, report: inPlace }) },
  ],
  almost: [
    { name: "where the pods have their networks", input: causeInput({ ...multus(runsSince(600), { others: [passedBy("a", 60, { hasNetworkStatus: true })] }), report: inPlace }) },
    { name: "where multus attached a network and could not write the status", input: causeInput({ ...multus(runsSince(600), { others: [passedBy("a", 60)] }), report: inPlace, eventsAbout: attached }) },
    { name: "where the pod has only just become ready", input: causeInput({ ...multus(runsSince(600), { others: [passedBy("a", 10)] }), report: inPlace }) },
    { name: "where the pod asks for none", input: causeInput({ ...multus(runsSince(600), { others: [passedBy("a", 60, { networks: "[]" })] }), report: inPlace }) },
    { name: "where the pod waits: nothing passed it by", input: causeInput({ ...multus(runsSince(600), { others: [passedBy("a", 60, { readyToStart: { status: false, sinceMs: secondsAgo(60) } })] }), report: inPlace }) },
    { name: "on the host's network, finished or being deleted", input: causeInput({ ...multus(runsSince(600), { others: [passedBy("a", 60, { hostNetwork: true }), passedBy("b", 60, { phase: "Succeeded" }), passedBy("c", 60, { deleting: true })] }), report: inPlace }) },
    { name: "where no multus is in the cluster", input: causeInput({ pods: new Map([["uid-a", passedBy("a", 60)]]) }) },
    { name: "in the moment of a restart: the config is away for seconds", input: causeInput({ ...multus(runsSince(5)), ...answers, report: gone }) },
    { name: "in a rollout, while the old pod ends and has taken its config away (recorded)", input: causeInput({ ...multus(runsSince(160), { pod: { deleting: true } }), ...absent, report: gone }) },
    { name: "where a shim was left on a node that runs no multus", input: causeInput({ ...daemons([]), report: gone }) },
    { name: "without an agent where nobody is hit", input: causeInput({ ...multus(), report: null }) },
  ],
  missing: [
    { name: "only suspects where events cannot be read", state: "suspected", says: "default/a", input: causeInput({ ...multus(runsSince(3_000), { others: [passedBy("a", 60)] }), report: null, ...noEvents }) },
    { name: "cannot tell where pods cannot be listed", state: "unknown", says: "Pods cannot be seen", input: causeInput({ kind: (kind) => (kind === "pods" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
    { name: "clears nothing once the agent that looked at the config fell silent", state: "unknown", says: "nothing for 2 min", input: causeInput({ ...multus(), report: null, source: (source) => ({ source, freshness: source === "agent" ? "stale" : "fresh", ...(source === "agent" ? { reason: "nothing for 2 min" } : {}) }) }) },
  ],
});

it("what the gap of a restart left behind is a notice, since it is over; what lasts is a risk", () => {
  const severities = (input: Parameters<typeof checked>[1]) => checked(silentBypass, input).map(({ severity }) => severity);
  expect(severities(causeInput({ ...multus(runsSince(90), { others: [passedBy("a", 91)] }), report: null }))).toEqual(["notice"]);
  expect(severities(causeInput({ ...multus(runsSince(600)), ...answers, report: gone }))).toEqual([undefined]);
});

describe("several reasons at once", () => {
  it("are told apart: pods of the restart's gap, and those that a lasting reason still hits", () => {
    const found = checked(silentBypass, causeInput({ ...multus(runsSince(600), { others: [passedBy("gap", 601), passedBy("later", 100)] }), ...answers, report: gone }));
    expect(found.map(({ detail: which, pods }) => [which, pods])).toEqual([["daemon-restart", ["default/gap"]], ["config-gone", ["default/later"]]]);
  });

  it("keep the lasting one in sight where only the gap has hit pods", () => {
    const found = checked(silentBypass, causeInput({ ...multus(runsSince(600), { others: [passedBy("gap", 601)] }), ...answers, report: gone }));
    expect(found.map(({ detail: which }) => which)).toEqual(["daemon-restart", "config-gone"]);
  });
});

describe("evidence of a bypass", () => {
  it("has both signs of the API, and what was seen on the node", () => {
    const [finding] = checked(silentBypass, causeInput({ ...multus(runsSince(600), { others: [passedBy("a", 60)] }), ...answers, report: gone }));
    expect(finding?.evidence.map(({ look, what }) => `${look}: ${what}`)).toEqual([
      "seen: Pods that ask for networks and have a sandbox",
      "not-seen: Their annotation network-status",
      "not-seen: An event AddedInterface about any of them",
      "not-seen: 00-multus.conf in /etc/cni/net.d",
      "seen: kube-multus of pod kube-multus-ds-abc runs",
      "seen: The daemon's socket",
    ]);
  });
});
