import { expect, it } from "vitest";
import type { CacheReading } from "../agent-readings";
import { agentReport } from "../testing/builders";
import { cniCacheBroken } from "./cni-cache-broken";
import { teardownFailed } from "./teardown-failed";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup, signalNow } from "./testing/input";

/** As a k3s node said it about a thousand times an hour. */
const TEXT = 'error killing pod: failed to "KillPodSandbox" for "098d82f5-8f10-444b-9806-6ec2504e0c09" with KillPodSandboxError: "rpc error: code = Unknown desc = failed to destroy network for sandbox \\"055b221e44a2\\": failed to get network \\"cbr0\\" cached result: decoding version from network config: unexpected end of JSON input"';
const cache = (over: Partial<CacheReading> = {}): CacheReading => ({ kind: "results", dir: "/var/lib/cni/results", entries: 110, broken: [], brokenCount: 0, ...over });
const broken = cache({ broken: ["cbr0-055b221e44a2-eth0"], brokenCount: 1 });
const report = (...items: readonly CacheReading[]) => agentReport({ caches: { looked: true, items, pools: [] } });

causeCases(cniCacheBroken, {
  fires: [
    { name: "where an entry is empty and its teardown fails", certainty: "named", says: ["1 entry", "/var/lib/cni/results", "cbr0-055b221e44a2-eth0"], input: causeInput({ report: report(broken), signals: [signalNow("cri.stop_sandbox.errors", 40)], errors: [errorGroup(TEXT)] }) },
    { name: "where entries are broken and nobody is hurt yet", certainty: "named", says: ["12 entries", "multus"], input: causeInput({ report: report(cache(), cache({ kind: "multus", dir: "/var/lib/cni/multus", broken: ["a", "b", "c", "d"], brokenCount: 12 })), signals: [signalNow("cri.stop_sandbox.errors", 0)] }) },
  ],
  almost: [
    { name: "where every entry is whole", input: causeInput({ report: report(cache(), cache({ kind: "multus", dir: "/var/lib/cni/multus" })) }) },
    { name: "where teardown fails for another reason", input: causeInput({ report: report(cache()), signals: [signalNow("cri.stop_sandbox.errors", 40)], errors: [errorGroup('error killing pod: failed to "KillPodSandbox" for "x" with KillPodSandboxError: "rpc error: code = DeadlineExceeded desc = context deadline exceeded"')] }) },
  ],
  missing: [
    { name: "suspects by the text of an ending pod where no agent is", state: "suspected", says: "Texts of 1 pod", input: causeInput({ report: null, errors: [errorGroup(TEXT)] }) },
    { name: "cannot tell without an agent", state: "unknown", says: "no agent on this node", input: causeInput({ report: null }) },
    { name: "cannot tell where not every entry could be read", state: "unknown", says: "/var/lib/cni/results: EACCES", input: causeInput({ report: report(cache({ entries: 0, problem: "EACCES" })) }) },
  ],
});

it("is a notice while no teardown fails", () => {
  const severity = (errors: number) => checked(cniCacheBroken, causeInput({ report: report(broken), signals: [signalNow("cri.stop_sandbox.errors", errors)] }))[0]?.severity;
  expect([severity(0), severity(1)]).toEqual(["notice", undefined]);
});

it("is the root of the teardown that fails on it", () => {
  expect(cniCacheBroken.explains).toContain(teardownFailed.code);
  expect(checked(teardownFailed, causeInput({ errors: [errorGroup(TEXT)], signals: [signalNow("cri.stop_sandbox.errors", 40)] }))[0]?.certainty).toBe("named");
});
