import { expect, it } from "vitest";
import type { PoolReading } from "../agent-readings";
import type { PodObject } from "../model";
import { agentReport } from "../testing/builders";
import { ipamExhausted } from "./ipam-exhausted";
import { ipamLeak } from "./ipam-leak";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup } from "./testing/input";
import { ownRequest, running, saying, secondsAgo, together, waiting } from "./testing/texts";

/** As the test cluster's range of two addresses said it. */
const TEXT = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "970e5f14e6ec15cd3721644a81b08e8618867793b253374d20f5a6f7592415ae": plugin type="bridge" failed (add): failed to allocate for range 0: no IP addresses available in range set: 10.244.9.1-10.244.9.2';
const text = errorGroup(TEXT);
const pool = (over: Partial<PoolReading>): PoolReading => ({ network: "cbr0", range: "10.244.0.0/24", dir: "/var/lib/cni/networks/cbr0", leases: 253, leaked: 0, size: 253, ...over });
const report = (...pools: readonly PoolReading[]) => agentReport({ caches: { looked: true, items: [], pools } });
const pods = (count: number): ReadonlyMap<string, PodObject> => new Map(Array.from({ length: count }, (_, i) => [`r${i}`, running(`r${i}`, { uid: `r${i}` })]));

causeCases(ipamExhausted, {
  fires: [
    { name: "where pods that live hold every address", certainty: "named", says: ["10.244.0.0/24", "253 of 253"], input: causeInput({ report: report(pool({})), ...waiting("web-1", 100) }) },
    { name: "where a text says so and one address is the gateway's", certainty: "named", says: ["1 of 2"], input: causeInput({ errors: [text], report: report(pool({ range: "10.244.9.0/24", leases: 1, size: 2 })), ...waiting("probe-2", 100) }) },
    { name: "where a few of many leases are leaked", certainty: "named", input: causeInput({ report: report(pool({ leaked: 20 })) }) },
    { name: "where no host-local range is on the node and pods say so", certainty: "suspected", says: ["1 pod"], input: causeInput({ report: report(), errors: [errorGroup("add cmd: failed to assign an IP address to container")] }) },
    { name: "where the range is full and neither sandboxes nor pods are known", certainty: "suspected", input: causeInput({ report: report({ network: "cbr0", dir: "/d", leases: 253, size: 253 }), kind: (kind) => (kind === "pods" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
  ],
  almost: [
    { name: "with one address left and nobody who complains", input: causeInput({ report: report(pool({ leases: 252 })) }) },
    { name: "where the range is full of leases of sandboxes that are gone", input: causeInput({ errors: [text], report: report(pool({ leaked: 200 })), ...waiting("web-1", 100) }) },
    { name: "where there are far more leases than pods, and the runtime's list could not be had", input: causeInput({ report: report({ network: "cbr0", dir: "/d", leases: 253, size: 253 }), pods: pods(14) }) },
    { name: "where room was made since the pod said so", input: causeInput({ errors: [{ ...text, lastMs: secondsAgo(40) }], report: { ...report(pool({ leases: 100 })), atMs: secondsAgo(5) } }) },
    { name: "without an agent, where a sandbox became ready lately", input: causeInput({ report: null, lastFreshMs: secondsAgo(30) }) },
  ],
  missing: [
    { name: "suspects by the text where no agent is", state: "suspected", says: "no address is left", input: causeInput({ report: null, errors: [text] }) },
    { name: "cannot tell without an agent, where nothing started lately", state: "unknown", says: "no agent on this node", input: causeInput({ report: null }) },
    { name: "cannot tell where the agent could not look at the ranges", state: "unknown", says: "EACCES", input: causeInput({ report: agentReport({ caches: { looked: false, reason: "EACCES" } }) }) },
  ],
});

it("exhausted and leaked never fire for the same range", () => {
  for (const leaked of [0, 1, 20, 26, 200, 253]) {
    const input = causeInput({ errors: [text], report: report(pool({ leaked })), ...waiting("web-1", 100) });
    const firing = [ipamExhausted, ipamLeak].filter((cause) => checked(cause, input).some(({ state }) => state === "firing")).map(({ code }) => code);
    expect(firing, String(leaked)).toEqual([leaked < 26 ? "ipam-exhausted" : "ipam-leak"]);
  }
});

it("is a notice where only pods with a network of their own say so", () => {
  const own = saying("ipam-exhausted", TEXT, { pods: ["default/db-0"] });
  expect(checked(ipamExhausted, causeInput({ report: null, errors: [own], ...together(waiting("db-0", 100, { networks: "a" }, ownRequest(100))) }))[0]?.severity).toBe("notice");
});
