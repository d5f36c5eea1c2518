import { describe, expect, it } from "vitest";
import type { ContainerCgroup } from "../agent-readings";
import { agentReport } from "../testing/builders";
import { daemonOom } from "./daemon-oom";
import { causeCases, checked } from "./testing/cases";
import { detail, down, ended, multus, MULTUS } from "./testing/daemons";
import { causeInput, signalNow } from "./testing/input";
import { resources } from "./testing/resources";
import { saying, secondsAgo } from "./testing/texts";

const MI = 2 ** 20;
const at40Mi = resources({ memoryLimitBytes: 40 * MI });
const killed = (seconds: number) => ended({ reason: "OOMKilled", exitCode: 137, finishedMs: secondsAgo(seconds) });
const runsSince = (seconds: number, over = {}) => detail({ containers: at40Mi, running: [{ container: "kube-multus", init: false, sinceMs: secondsAgo(seconds) }], ...over });
const kills = (...seconds: number[]) => seconds.map(secondsAgo);
/** As cAdvisor told it in the recorded loop: 41103360 of 41943040 bytes. */
const peak = signalNow("daemon.memory.peak", 41_103_360, MULTUS);
const cgroup = (over: Partial<ContainerCgroup> = {}): ContainerCgroup => ({ namespace: "kube-system", pod: "kube-multus-ds-abc", podUid: "multus-uid", container: "kube-multus", cni: "multus", cgroupVersion: 1, memoryLimitBytes: 40 * MI, memoryPeakBytes: 39 * MI, oomKills: 0, ...over });
const looked = (over: Partial<ContainerCgroup> = {}) => agentReport({ cgroups: { looked: true, items: [cgroup(over)] } });
const text = saying("daemon-oom", 'CmdAdd (shim): failed to send CNI request: Post "http://dummy/cni": EOF');

causeCases(daemonOom, {
  fires: [
    {
      name: "while it backs off in a loop (recorded: four restarts in 100 s)",
      certainty: "named",
      detail: "loop",
      says: ["kube-multus", "3 times", "the last 14 s ago", "does not run", "40 Mi", "39 Mi"],
      input: causeInput({ ...multus(down(14, { containers: at40Mi, restarts: 3, terminations: [killed(14)], waitingReasons: ["CrashLoopBackOff"] }), { oomKillsMs: kills(92, 53, 14) }), report: null, signals: [peak] }),
    },
    { name: "between two kills of a loop, while it runs", certainty: "named", detail: "loop", says: ["2 times"], input: causeInput({ ...multus(runsSince(40, { terminations: [killed(41)] }), { oomKillsMs: kills(110, 41) }) }) },
    {
      name: "in a loop of which nobody watched more than the last end, by the restarts of a young pod (recorded: four in 50 s)",
      certainty: "named",
      detail: "loop",
      says: ["restarted 4 times", "3 min ago"],
      input: causeInput({ ...multus(runsSince(130, { restarts: 4, terminations: [killed(180)] }), { pod: { createdMs: secondsAgo(240) }, oomKillsMs: kills(180) }), report: null }),
    },
    { name: "after the first kill, before it has lived for two minutes", certainty: "named", input: causeInput({ ...multus(runsSince(20, { terminations: [killed(21)] }), { oomKillsMs: kills(21) }) }) },
    { name: "where it was killed and does not run, however long ago", certainty: "named", says: ["does not run"], input: causeInput({ ...multus(down(1_200, { terminations: [killed(1_200)] }), { oomKillsMs: kills(1_200) }) }) },
    { name: "where a plugin inside its limit was killed and it goes on", certainty: "named", detail: "plugin-killed", says: ["30 s ago", "plugin"], input: causeInput({ ...multus(runsSince(600)), cgroupKills: new Map([[MULTUS, { kills: 2, risenMs: secondsAgo(30) }]]), report: looked({ oomKills: 2 }) }) },
    { name: "without a limit, and says that the node ran out", certainty: "named", says: ["no memory limit of its own"], input: causeInput({ ...multus(runsSince(20, { containers: resources({ memoryLimitBytes: undefined }), terminations: [killed(21)] }), { oomKillsMs: kills(21) }) }) },
  ],
  almost: [
    { name: "once it has lived for long after a single kill", input: causeInput({ ...multus(runsSince(180, { terminations: [killed(181)] }), { oomKillsMs: kills(181) }), report: looked() }) },
    { name: "once it has lived for long after a kill, where the restarts of before lie long back", input: causeInput({ ...multus(runsSince(180, { restarts: 9, terminations: [killed(181)] }), { oomKillsMs: kills(181) }), report: looked() }) },
    {
      name: "once it has lived for long after a kill, where its installer is what failed before",
      input: causeInput({ ...multus(runsSince(180, { restarts: 4, terminations: [killed(181), ended({ container: "install-multus-binary", init: true, exitCode: 1, finishedMs: secondsAgo(220) })] }), { pod: { createdMs: secondsAgo(240) }, oomKillsMs: kills(181) }), report: looked() }),
    },
    {
      name: "where it was killed once, and its installer has failed since: that keeps it down",
      input: causeInput({ ...multus(down(60, { terminations: [killed(60), ended({ container: "install-multus-binary", init: true, exitCode: 1, finishedMs: secondsAgo(20) })] }), { oomKillsMs: kills(60) }), report: looked() }),
    },
    { name: "once a loop is over", input: causeInput({ ...multus(runsSince(400, { terminations: [killed(401)] }), { oomKillsMs: kills(500, 401) }), report: looked() }) },
    { name: "where it ended for another reason", input: causeInput({ ...multus(down(20, { terminations: [ended({ exitCode: 2 })] })), report: looked() }) },
    { name: "where it uses nearly all of its limit and nothing was killed", input: causeInput({ ...multus(runsSince(600)), report: looked({ memoryPeakBytes: 39.9 * MI }) }) },
    { name: "where kills inside its control group are as many as when they were first seen", input: causeInput({ ...multus(runsSince(600)), cgroupKills: new Map([[MULTUS, { kills: 5 }]]), report: looked({ oomKills: 5 }) }) },
    { name: "where its group rose before the container that runs now began", input: causeInput({ ...multus(runsSince(20)), cgroupKills: new Map([[MULTUS, { kills: 0, risenMs: secondsAgo(60) }]]), report: looked() }) },
    { name: "without an agent, where the API tells of no kill", input: causeInput({ ...multus(), report: null }) },
    { name: "where a text speaks of it and every counter against it", input: causeInput({ ...multus(), report: looked(), errors: [text] }) },
  ],
  missing: [
    { name: "cannot tell once the agent that counts killed plugins fell silent", state: "unknown", says: "nothing for 2 min", input: causeInput({ ...multus(), report: null, source: (source) => ({ source, freshness: source === "agent" ? "stale" : "fresh", ...(source === "agent" ? { reason: "nothing for 2 min" } : {}) }) }) },
    { name: "cannot tell while the API says nothing current", state: "unknown", says: "The Kubernetes API tells nothing current", input: causeInput({ ...multus(down(10, { terminations: [killed(10)] }), { oomKillsMs: kills(10) }), source: (source) => ({ source, freshness: source === "api" ? "stale" : "fresh", reason: "the watch is gone" }) }) },
    { name: "suspects by a text where pods cannot be listed", state: "suspected", says: "1 pod", input: causeInput({ errors: [text], kind: (kind) => (kind === "pods" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
  ],
});

describe("evidence of a killed daemon", () => {
  it("sets the peak beside the limit, and says that killed plugins could not be looked for", () => {
    const [finding] = checked(daemonOom, causeInput({ ...multus(down(14, { containers: at40Mi, terminations: [killed(14)] }), { oomKillsMs: kills(53, 14) }), report: null, signals: [peak] }));
    expect(finding?.evidence).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ look: "seen", value: 2, atMs: secondsAgo(14), source: "api" }),
        expect.objectContaining({ look: "seen", value: 40 * MI, unit: "bytes", source: "api" }),
        expect.objectContaining({ look: "seen", value: 41_103_360, unit: "bytes", source: "kubelet" }),
        expect.objectContaining({ look: "could-not-look", source: "agent", reason: "The node's agent is not heard: no agent on this node" }),
      ]),
    );
  });

  it("puts a killed plugin at risk only, and both under the daemon's own end", () => {
    const both = { cgroupKills: new Map([[MULTUS, { kills: 1, risenMs: secondsAgo(10) }]]), report: looked({ oomKills: 1 }) };
    expect(checked(daemonOom, causeInput({ ...multus(runsSince(600)), ...both })).map(({ severity }) => severity)).toEqual(["risks"]);
    expect(checked(daemonOom, causeInput({ ...multus(runsSince(30, { terminations: [killed(31)] }), { oomKillsMs: kills(70, 31) }), ...both })).map(({ detail: which }) => which)).toEqual(["loop"]);
  });
});
