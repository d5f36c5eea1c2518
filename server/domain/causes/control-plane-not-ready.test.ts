import { expect, it } from "vitest";
import type { DaemonView } from "../node-view";
import { node } from "../testing/builders";
import { controlPlaneNotReady } from "./control-plane-not-ready";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup } from "./testing/input";
import { NOW_MS, secondsAgo } from "./testing/texts";

const TEXT = 'plugin type="kube-ovn" failed (add): RPC failed; request ip return 500 no address allocated to pod ns1/app provider ovn, please see kube-ovn-controller logs to find errors';
const text = errorGroup(TEXT, ["ns1/app"], { waitingSinceMs: secondsAgo(120) });
const without = (reason: string, sinceMs: number) => node({ conditions: [{ type: "Ready", status: "True" }, { type: "NetworkUnavailable", status: "True", reason, sinceMs }] });
const daemon: DaemonView = { daemonSet: "kube-system/kube-ovn-cni", pod: "kube-ovn-cni-x", container: "cni-server", ready: true, restarts: 0, oomKillsMs: [] };

causeCases(controlPlaneNotReady, {
  fires: [
    { name: "where pods say that nothing was allocated for them", certainty: "suspected", says: ["1 pod"], input: causeInput({ errors: [text], daemons: [daemon] }) },
    { name: "where the cloud has made no route for two minutes", certainty: "named", detail: "no-route", says: ["2 min"], input: causeInput({ node: without("NoRouteCreated", secondsAgo(120)) }) },
  ],
  almost: [
    { name: "on a node that joins: its route is being made", input: causeInput({ node: without("NoRouteCreated", secondsAgo(119)) }) },
    { name: "where a CNI sets the condition as it goes down itself", input: causeInput({ node: without("CalicoIsDown", secondsAgo(600)) }) },
    { name: "where a pod says so whose next try is to come", input: causeInput({ errors: [{ ...text, waitingSinceMs: NOW_MS - 5_000 }] }) },
    { name: "where no address is left", input: causeInput({ errors: [errorGroup("failed to allocate for range 0: no IP addresses available in range set: 10.244.9.1-10.244.9.2")] }) },
  ],
  missing: [{ name: "cannot tell where events may not be seen", state: "unknown", says: "Events cannot be seen", input: causeInput({ kind: (kind) => (kind === "events" ? { seen: false, reason: "forbidden" } : { seen: true }) }) }],
});

it("shows beside the text that the node's own daemon is in order", () => {
  expect(checked(controlPlaneNotReady, causeInput({ errors: [text], daemons: [daemon] }))[0]?.evidence.map(({ what, look }) => [what, look])).toContainEqual(["CNI daemon kube-system/kube-ovn-cni on this node", "seen"]);
});
