import { expect, it } from "vitest";
import { node } from "../testing/builders";
import { apiserverUnreachable } from "./apiserver-unreachable";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup, type InputParts } from "./testing/input";
import { NOW_MS, secondsAgo } from "./testing/texts";

const TEXT = 'plugin type="multus" name="multus-cni-network" failed (add): Multus: [ns1/app/19241d18]: error getting pod: Get "https://10.96.0.1:443/api/v1/namespaces/ns1/pods/app?timeout=1m0s": dial tcp 10.96.0.1:443: i/o timeout';
const text = errorGroup(TEXT, ["ns1/app"], { waitingSinceMs: secondsAgo(120) });
/** As the API sees a node whose kubelet stopped reporting: the source is stale for it, the watch of nodes is not. */
const silent = (over: InputParts = {}): InputParts => ({
  node: node({ conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", sinceMs: secondsAgo(120) }] }),
  source: (source) => (source === "api" ? { source, freshness: "stale", reason: "the node's kubelet stopped reporting" } : { source, freshness: "fresh" }),
  kubeletPages: { metrics: { lastMs: secondsAgo(5) } },
  ...over,
});

causeCases(apiserverUnreachable, {
  fires: [
    { name: "where pods say that the API server does not answer", certainty: "suspected", says: ["1 pod"], input: causeInput({ errors: [text] }) },
    { name: "where the kubelet answers us and its reports do not arrive", certainty: "suspected", detail: "kubelet", says: ["2 min", "is refused, or hangs"], input: causeInput(silent()) },
  ],
  almost: [
    { name: "where the API server answers with a refusal", input: causeInput({ errors: [errorGroup('Multus: [default/app]: error getting pod: Unauthorized', ["default/app"])] }) },
    { name: "where a pod says so whose next try is to come", input: causeInput({ errors: [{ ...text, waitingSinceMs: NOW_MS - 5_000 }] }) },
    { name: "where the call went to a daemon's socket", input: causeInput({ errors: [errorGroup("dial unix /run/multus/multus.sock: connect: connection refused")] }) },
  ],
  missing: [
    { name: "claims nothing of a node that is silent altogether", state: "unknown", says: "stopped reporting", input: causeInput(silent({ source: (source) => ({ source, freshness: "stale", reason: source === "api" ? "the node's kubelet stopped reporting" : "no route to the node" }) })) },
    { name: "nor where the kubelet was read last before its reports ended", state: "unknown", says: "stopped reporting", input: causeInput(silent({ kubeletPages: { metrics: { lastMs: secondsAgo(121) } } })) },
  ],
});

it("shows the missing heartbeat beside what pods say", () => {
  expect(checked(apiserverUnreachable, causeInput(silent({ errors: [text] })))[0]?.evidence.map(({ what }) => what)).toContain("Node condition Ready");
});
