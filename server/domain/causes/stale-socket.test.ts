import { describe, expect, it } from "vitest";
import type { StaleMount } from "../agent-readings";
import type { AgentReport } from "../agent-report";
import { agentReport, namespace, objectName, pod, startedPod } from "../testing/builders";
import { diagnose } from "./diagnose";
import { staleSocket } from "./stale-socket";
import { causeCases, checked } from "./testing/cases";
import { detail, down, ended, multus } from "./testing/daemons";
import { causeInput } from "./testing/input";
import { MULTUS_SOCKET, socket, socketsSeen } from "./testing/sockets";
import { saying, secondsAgo } from "./testing/texts";
import { NO_DIAGNOSIS } from "./types";

/** Recorded from multus: the socket's inode before and after a restart of the daemon, as a consumer and the host saw them. */
const mount: StaleMount = { socketPath: MULTUS_SOCKET, mountPath: "/host/run/multus/multus.sock", kind: "file", pid: 4_242, namespace: "default", pod: "by-file", podUid: "uid-by-file", container: "probe", mountedInode: "8:1/11043286", hostInode: "8:1/11043719", because: "deleted" };
const folder: StaleMount = { ...mount, mountPath: "/host/run/multus", kind: "directory", pod: "by-folder", podUid: "uid-by-folder", mountedInode: "8:1/11043285", hostInode: "8:1/11043670" };
const mounts = (...stale: readonly StaleMount[]): Pick<AgentReport, "mounts"> => ({ mounts: { looked: true, stale, mountsSeen: 4 } });
const runsSince = (seconds: number) => detail({ running: [{ container: "kube-multus", init: false, sinceMs: secondsAgo(seconds) }] });
const refuses = socket({ state: "refuses", detail: "ECONNREFUSED", inode: "8:1/11043719", kind: "socket" });
const refused = saying("daemon-down", "dial unix /run/multus/multus.sock: connect: connection refused", { facts: { socketPath: MULTUS_SOCKET } });
const text = saying("stale-socket", "dial unix /run/multus/multus.sock: connect: connection refused", { detail: "host" });

const consumer = (path: string, seconds: number) => startedPod(secondsAgo(seconds), { uid: "uid-by-file", name: objectName("by-file"), namespace: namespace("default"), socketMounts: [{ container: "probe", path, sinceMs: secondsAgo(seconds) }] });

causeCases(staleSocket, {
  fires: [
    { name: "where the daemon runs and its socket refuses", certainty: "named", detail: "host", says: [MULTUS_SOCKET, "refuses", "kube-multus", "10 min"], input: causeInput({ ...multus(runsSince(600)), ...socketsSeen([refuses], {}, mounts()) }) },
    { name: "where the file vanished under the daemon", certainty: "named", detail: "host", says: ["vanished"], input: causeInput({ ...multus(runsSince(600)), ...socketsSeen([socket({ state: "absent" })], {}, mounts()) }) },
    { name: "at a consumer that mounts the socket", certainty: "named", detail: "consumer", says: ["default/by-file", "8:1/11043286", "8:1/11043719"], input: causeInput({ ...multus(), ...socketsSeen([socket()], {}, mounts(mount)) }) },
    { name: "at a consumer that mounts the folder, and where the host has nothing now", certainty: "named", detail: "consumer", says: ["folder", "on the host nothing"], input: causeInput({ ...multus(), ...socketsSeen([socket()], {}, mounts({ socketPath: MULTUS_SOCKET, mountPath: "/host/run/multus", kind: "directory", pid: 7, because: "no-links" })) }) },
  ],
  almost: [
    { name: "where the daemon does not run", input: causeInput({ ...multus(down(300, { terminations: [ended()] })), ...socketsSeen([refuses], {}, mounts()) }) },
    { name: "where the daemon has just begun", input: causeInput({ ...multus(runsSince(20)), ...socketsSeen([refuses], {}, mounts()) }) },
    { name: "where multus still waits for a config to hand pods to", input: causeInput({ ...multus(runsSince(100)), ...socketsSeen([socket({ state: "absent" })], {}, mounts()) }) },
    { name: "in the moment of a restart: one report is not enough", input: causeInput({ ...multus(runsSince(600)), ...socketsSeen([{ ...refuses, sinceMs: secondsAgo(0) }], {}, mounts()) }) },
    { name: "where the socket that refuses is none that the config calls", input: causeInput({ ...multus(runsSince(600)), ...socketsSeen([{ ...refuses, effective: false }], { pluginTypes: ["bridge"] }, mounts()) }) },
    { name: "where the consumer is being deleted", input: causeInput({ ...multus(detail(), { others: [pod({ uid: "uid-by-file", deleting: true })] }), ...socketsSeen([socket()], {}, mounts(mount)) }) },
    { name: "where a consumer is older than the daemon and its mount shows what the host has: it was looked at", input: causeInput({ ...multus(runsSince(600), { others: [consumer("/run/multus/multus.sock", 700)] }), ...socketsSeen([socket()], {}, mounts()) }) },
    { name: "where every mount shows what the host has", input: causeInput({ ...multus(), ...socketsSeen([socket()], {}, mounts()) }) },
  ],
  missing: [
    { name: "cannot tell without an agent", state: "unknown", says: "no agent on this node", input: causeInput({ ...multus(), report: null }) },
    { name: "cannot tell whether the daemon runs while the API says nothing", state: "unknown", says: "The Kubernetes API tells nothing current", input: causeInput({ ...multus(runsSince(600)), ...socketsSeen([refuses], {}, mounts()), source: (source) => ({ source, freshness: source === "api" ? "stale" : "fresh", reason: "the watch is gone" }) }) },
    { name: "cannot tell of consumers where mounts could not be read", state: "unknown", says: "could not read every container's mounts", input: causeInput({ ...multus(), ...socketsSeen([socket()], {}, { mounts: { looked: true, stale: [], mountsSeen: 1, unread: 3 } }) }) },
    { name: "suspects it where pods are refused by a daemon that the API calls running, and no agent is", state: "suspected", says: "nobody answers", input: causeInput({ ...multus(runsSince(600)), report: null, errors: [refused] }) },
    { name: "suspects a consumer of the socket that is older than the daemon, where no agent is", state: "suspected", says: "probe of pod default/by-file mounts /run/multus/multus.sock", input: causeInput({ ...multus(runsSince(600), { others: [consumer(MULTUS_SOCKET, 700)] }), report: null }) },
    { name: "suspects one of multus' folder likewise, which is made anew as well", state: "suspected", says: "mounts /run/multus and has run since before", input: causeInput({ ...multus(runsSince(600), { others: [consumer("/run/multus", 601)] }), report: null }) },
    { name: "claims nothing of a consumer that is younger than the daemon", state: "unknown", says: "no agent on this node", input: causeInput({ ...multus(runsSince(600), { others: [consumer(MULTUS_SOCKET, 600)] }), report: null }) },
    { name: "claims nothing of a folder in which the socket alone is made anew", state: "unknown", says: "no agent on this node", input: causeInput({ ...multus(runsSince(600), { others: [consumer("/run/cilium", 700)] }), report: null }) },
    { name: "suspects by a text where the daemon runs and no agent is", state: "suspected", says: "1 pod", input: causeInput({ ...multus(), report: null, errors: [text] }) },
  ],
});

describe("host and consumer", () => {
  const both = causeInput({ ...multus(runsSince(600)), ...socketsSeen([refuses], {}, mounts(mount, folder)) });

  it("fire side by side, and only the host's blocks", () => {
    expect(diagnose(both, NO_DIAGNOSIS, [staleSocket]).causes.map(({ detail: which, severity }) => [which, severity])).toEqual([["host", "blocks"], ["consumer", "risks"]]);
  });

  it("keep one while the other cannot be told", () => {
    const found = checked(staleSocket, causeInput({ ...multus(runsSince(600)), ...socketsSeen([refuses], {}, { mounts: { looked: false, reason: "no right to read /proc/PID/root" } }) }));
    expect(found.map(({ state, detail: which }) => [state, which])).toEqual([["firing", "host"], ["unknown", "consumer"]]);
  });

  it("list every stale mount with both inodes, and its pod by name", () => {
    const consumer = checked(staleSocket, both).find(({ detail: which }) => which === "consumer");
    expect(consumer?.evidence.map(({ value }) => value)).toEqual(["mounted 8:1/11043286, on the host 8:1/11043719 (mountinfo marks it as deleted)", "mounted 8:1/11043285, on the host 8:1/11043670 (mountinfo marks it as deleted)"]);
    expect(consumer?.pods).toEqual(["default/by-file", "default/by-folder"]);
  });

  it("a text that fits is taken for the daemon's being down where it does not run", () => {
    const [host] = checked(staleSocket, causeInput({ ...multus(down(300, { terminations: [ended()] })), report: null, errors: [text] }));
    expect(host?.state).toBe("clear");
  });

  it("a refusal from before the daemon's last start says nothing of it", () => {
    const [host] = checked(staleSocket, causeInput({ ...multus(runsSince(20)), report: null, errors: [refused] }));
    expect(host?.state).toBe("unknown");
  });

  it("an agent that is older than mounts says so", () => {
    const [, consumer] = checked(staleSocket, causeInput({ report: agentReport() }));
    expect(consumer).toMatchObject({ state: "unknown", summary: "The node's agent is older than Sandglass and does not tell of mounts of sockets" });
  });
});
