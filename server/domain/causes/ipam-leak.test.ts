import { expect, it } from "vitest";
import type { PoolReading } from "../agent-readings";
import { agentReport } from "../testing/builders";
import { ipamLeak } from "./ipam-leak";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup } from "./testing/input";
import { running, saying, together, waiting } from "./testing/texts";

const TEXT = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "50c5": plugin type="flannel" failed (add): failed to allocate for range 0: no IP addresses available in range set: 10.42.2.1-10.42.2.254';
const pool = (over: Partial<PoolReading>): PoolReading => ({ network: "cbr0", range: "10.42.2.0/24", dir: "/var/lib/cni/networks/cbr0", leases: 253, leaked: 239, size: 253, ...over });
const report = (...pools: readonly PoolReading[]) => agentReport({ caches: { looked: true, items: [], pools } });
const noSandboxes = (over: Partial<PoolReading> = {}): PoolReading => {
  const { leaked: _, ...rest } = pool(over);
  return rest;
};
const fourteen = new Map(Array.from({ length: 14 }, (_, i) => [`r${i}`, running(`r${i}`, { uid: `r${i}` })]));

causeCases(ipamLeak, {
  fires: [
    { name: "where the range is full of leases without a sandbox", certainty: "named", says: ["10.42.2.0/24", "239 of its 253 leases"], input: causeInput({ errors: [errorGroup(TEXT)], report: report(pool({})), pods: fourteen }) },
    { name: "where 14 pods hold 253 leases, and the runtime's list could not be had", certainty: "named", says: ["239"], input: causeInput({ report: report(noSandboxes()), pods: fourteen }) },
    { name: "in a range of two addresses, of which one is leaked", certainty: "named", input: causeInput({ report: report(pool({ leases: 2, leaked: 1, size: 2 })), ...waiting("web-1", 100) }) },
    { name: "before the range is full", certainty: "named", says: ["40 of its 140 leases"], input: causeInput({ report: report(pool({ leases: 140, leaked: 40 })) }) },
    { name: "where a text says that an address is held by another", certainty: "suspected", input: causeInput({ report: report(), errors: [saying("ipam-leak", "IP address is already reserved for another container")] }) },
  ],
  almost: [
    { name: "while a rollout makes many sandboxes that the runtime does not list yet", input: causeInput({ report: report(pool({ leases: 60, leaked: 30 })), ...together(...Array.from({ length: 30 }, (_, i) => waiting(`new-${i}`, 10))) }) },
    { name: "where a handful of leases is left over", input: causeInput({ report: report(pool({ leases: 30, leaked: 9 })) }) },
    { name: "where the range is full of pods that live", input: causeInput({ errors: [errorGroup(TEXT)], report: report(pool({ leaked: 0 })) }) },
    { name: "where no host-local range is on the node", input: causeInput({ report: report() }) },
  ],
  missing: [
    { name: "cannot tell without an agent", state: "unknown", says: "no agent on this node", input: causeInput({ report: null }) },
    { name: "does not call a text of a full range a leak without an agent", state: "unknown", says: "no agent on this node", input: causeInput({ report: null, errors: [errorGroup(TEXT)] }) },
    { name: "cannot tell of a full range whose sandboxes and pods are not known", state: "unknown", says: "cannot be told", input: causeInput({ report: report(noSandboxes()), kind: (kind) => (kind === "pods" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
    { name: "suspects by a text of its own where no agent is", state: "suspected", says: "Texts of 1 pod", input: causeInput({ report: null, errors: [saying("ipam-leak", "IP address is already reserved for another container")] }) },
  ],
});

it("is a risk until the range is full, and blocks from then on", () => {
  const severity = (leases: number) => checked(ipamLeak, causeInput({ report: report(pool({ leases, leaked: 100 })) }))[0]?.severity;
  expect(severity(200)).toBe("risks");
  expect(severity(253)).toBeUndefined();
});
