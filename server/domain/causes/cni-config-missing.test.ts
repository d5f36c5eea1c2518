import { expect, it } from "vitest";
import type { ConfigReading } from "../agent-report";
import { agentReport, daemonSet, node, objectName } from "../testing/builders";
import { cniConfigMissing } from "./cni-config-missing";
import { CONFIG_SETTLES_MS, NODE_JOINS_MS } from "./runtime-network";
import { causeCases, checked } from "./testing/cases";
import { causeInput } from "./testing/input";
import { NOW_MS, saying, secondsAgo, waiting } from "./testing/texts";

/** The condition and the text of the test cluster's missing-config and bad-config faults; the same for both. */
const NOT_READY = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized";
const text = saying("cni-config-missing", `network is not ready: ${NOT_READY}`);
const notReady = (sinceMs = secondsAgo(60), message = NOT_READY) => node({ conditions: [{ type: "Ready", status: "False", reason: "KubeletNotReady", message, sinceMs }] });

const EMPTY: ConfigReading = { dir: "/etc/cni/net.d", pluginTypes: [], sockets: [], missingBinaries: [], binDirs: ["/opt/cni/bin"] };
const report = (config: Partial<ConfigReading>, networkReady = false) =>
  agentReport({
    config: { looked: true, reading: { ...EMPTY, ...config } },
    runtime: { looked: true, reading: { name: "containerd", version: "1.6.20", conditions: [{ type: "NetworkReady", status: networkReady, reason: networkReady ? "" : "NetworkPluginNotReady", message: networkReady ? "" : "Network plugin returns error: cni plugin not initialized" }] } },
  });

causeCases(cniConfigMissing, {
  fires: [
    { name: "where the conf dir is empty and the runtime says that it has no network", certainty: "named", says: ["/etc/cni/net.d"], input: causeInput({ node: notReady(), report: report({}) }) },
    { name: "the same by the agent alone, while the API says nothing", certainty: "named", input: causeInput({ report: report({}), source: (source) => (source === "api" ? { source, freshness: "stale", reason: "nothing for 5 min" } : { source, freshness: "fresh" }) }) },
    { name: "by the agent's folder and the node's condition, where the runtime could not be asked", certainty: "named", input: causeInput({ node: notReady(), report: agentReport({ config: { looked: true, reading: EMPTY } }) }) },
    { name: "by the agent's folder and pods that wait, where nothing else tells of the runtime", certainty: "named", says: ["pods say"], input: causeInput({ node: node({ conditions: [] }), errors: [text], report: agentReport({ config: { looked: true, reading: EMPTY }, runtime: { looked: false, reason: "CRI socket refused" } }) }) },
  ],
  almost: [
    { name: "where a file is in force", input: causeInput({ report: report({ effectiveFile: "10-bridge.conflist" }, true) }) },
    { name: "where files are there and broken", input: causeInput({ node: notReady(), report: report({ fileProblems: ["10-bridge.conflist: not JSON"] }) }) },
    { name: "where the folder is empty and pods said so before the runtime was ready", input: causeInput({ errors: [text], report: report({}, true) }) },
    { name: "where the runtime is ready although the folder at which the agent looks is empty", input: causeInput({ report: report({}, true) }) },
    { name: "in the first seconds of it", input: causeInput({ node: notReady(NOW_MS - CONFIG_SETTLES_MS + 1), report: report({}) }) },
    { name: "on a node that is just joining", input: causeInput({ node: { ...notReady(), createdMs: NOW_MS - NODE_JOINS_MS + 1 }, report: report({}) }) },
    { name: "where the node is not ready for another reason, and its folder has a file", input: causeInput({ node: notReady(secondsAgo(60), "PLEG is not healthy: pleg was last seen active 3m7s ago; threshold is 3m0s"), report: report({ effectiveFile: "10-bridge.conflist" }, true) }) },
    { name: "without an agent, where the kubelet is ready, whatever a pod said before", input: causeInput({ report: null, errors: [text] }) },
    { name: "where a plugin's own status keeps the network from being ready", input: causeInput({ report: null, node: notReady(secondsAgo(60), "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: plugin type=\"cilium-cni\" failed (status): agent not available") }) },
  ],
  missing: [
    { name: "suspects by the node's condition where no agent is", state: "suspected", says: "cannot be told without the agent", input: causeInput({ report: null, node: notReady(), errors: [text], ...waiting("web-1", 60) }) },
    { name: "suspects where pods say it and the node's condition is not known", state: "suspected", says: "1 pod", input: causeInput({ report: null, node: node({ conditions: [] }), errors: [text] }) },
    { name: "cannot tell where neither the folder nor the runtime's word is known", state: "unknown", says: "no agent on this node", input: causeInput({ report: null, node: node({ conditions: [{ type: "Ready", status: "Unknown" }] }) }) },
    { name: "cannot tell of an empty folder whose runtime nobody heard", state: "unknown", says: "CRI socket", input: causeInput({ node: node({ conditions: [] }), report: agentReport({ config: { looked: true, reading: EMPTY }, runtime: { looked: false, reason: "CRI socket refused" } }) }) },
  ],
});

it("shows the pods that wait, and both sides of the evidence", () => {
  const [found] = checked(cniConfigMissing, causeInput({ node: notReady(), report: report({}), ...waiting("web-1", 60) }));
  expect(found?.pods).toEqual(["default/web-1"]);
  expect(found?.evidence.map(({ source, value }) => [source, value])).toEqual([["agent", "no file"], ["agent", "false: Network plugin returns error: cni plugin not initialized"], ["api", `False: ${NOT_READY}`]]);
});

it("explains sandboxes that cannot be ended, and a daemon that is down only where that is multus, which needs another CNI's config", () => {
  const of = (...names: readonly string[]) => checked(cniConfigMissing, causeInput({ node: notReady(), report: report({}), daemonSets: names.map((name) => daemonSet({ uid: name, name: objectName(name), matchLabels: {}, hostPaths: [] })) }))[0]?.explains;
  expect([of(), of("kube-multus-ds"), of("kube-multus-ds", "cilium"), of("cilium")]).toEqual([["daemon-down", "teardown-failed"], ["daemon-down", "teardown-failed"], ["teardown-failed"], ["teardown-failed"]]);
});

it("is clear again with the first report that shows a file in force", () => {
  expect(checked(cniConfigMissing, causeInput({ node: notReady(), errors: [text], report: report({ effectiveFile: "10-bridge.conflist" }, true) })).map(({ state }) => state)).toEqual(["clear"]);
});
