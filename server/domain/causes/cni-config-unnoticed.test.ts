import { expect, it } from "vitest";
import type { ConfigFiles } from "../agent-readings";
import type { ConfigReading } from "../agent-report";
import { agentReport, node } from "../testing/builders";
import { cniConfigMissing } from "./cni-config-missing";
import { cniConfigUnnoticed } from "./cni-config-unnoticed";
import { causeCases, checked } from "./testing/cases";
import { causeInput } from "./testing/input";
import { secondsAgo, waiting } from "./testing/texts";

const message = "Network plugin returns error: cni plugin not initialized";
const notReady = (sinceMs: number, text = `container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:${message}`) => node({ conditions: [{ type: "Ready", status: "False", message: text, sinceMs }] });
const READING: ConfigReading = { dir: "/etc/cni/net.d", effectiveFile: "10-bridge.conflist", pluginTypes: ["bridge"], sockets: [], missingBinaries: [], binDirs: ["/opt/cni/bin"] };
const config = { looked: true, reading: READING } as const;
const runtime = (networkReady: boolean, words = message) => ({ looked: true, reading: { name: "containerd", version: "2.4.2", conditions: [{ type: "NetworkReady", status: networkReady, reason: "NetworkPluginNotReady", message: networkReady ? "" : words }] } }) as const;
const files = (over: Partial<ConfigFiles>) => ({ looked: true, reading: { dir: "/etc/cni/net.d", files: [], ...over } }) as const;

causeCases(cniConfigUnnoticed, {
  fires: [
    { name: "where the agent says that the runtime has not loaded the file", certainty: "named", says: ["10-bridge.conflist", "2 min"], input: causeInput({ report: agentReport({ config, runtime: runtime(false), configFiles: files({ loaded: false, usableSinceMs: secondsAgo(120) }) }) }) },
    { name: "where an older agent shows the file and the kubelet says that there is none", certainty: "named", says: ["10-bridge.conflist"], input: causeInput({ node: notReady(secondsAgo(60)), report: agentReport({ config }) }) },
    { name: "where the runtime itself says so to an older agent", certainty: "named", input: causeInput({ report: agentReport({ config, runtime: runtime(false) }) }) },
  ],
  almost: [
    { name: "in the first seconds after the file was written", input: causeInput({ report: agentReport({ config, runtime: runtime(false), configFiles: files({ loaded: false, usableSinceMs: secondsAgo(19) }) }) }) },
    { name: "in the first seconds of a node that lost its network, with an older agent", input: causeInput({ node: notReady(secondsAgo(5)), report: agentReport({ config }) }) },
    { name: "where the file is loaded", input: causeInput({ report: agentReport({ config, runtime: runtime(true), configFiles: files({ loaded: true }) }) }) },
    { name: "where the config is loaded and its plugin says that it cannot serve", input: causeInput({ report: agentReport({ config, runtime: runtime(false, 'Network plugin returns error: plugin type="cilium-cni" failed (status): agent not available') }) }) },
    { name: "where no file can be used", input: causeInput({ node: notReady(secondsAgo(60)), report: agentReport({ config: { looked: true, reading: { dir: "/etc/cni/net.d", pluginTypes: [], sockets: [], missingBinaries: [], binDirs: [] } } }) }) },
    { name: "without an agent, where the kubelet is ready", input: causeInput({ report: null }) },
  ],
  missing: [
    { name: "cannot tell without an agent why the runtime has no config", state: "unknown", says: "no agent on this node", input: causeInput({ report: null, node: notReady(secondsAgo(60)) }) },
    { name: "cannot tell where nobody heard the runtime", state: "unknown", says: "the container runtime's status", input: causeInput({ node: node({ conditions: [] }), report: agentReport({ config }) }) },
  ],
});

it("a runtime that works by an earlier config is not told as one that has loaded the file", () => {
  const [finding] = checked(cniConfigUnnoticed, causeInput({ report: agentReport({ config, runtime: runtime(true), configFiles: files({ loadedOther: "cbr0" }) }) }));
  expect(finding).toMatchObject({ state: "clear", summary: "10-bridge.conflist is not loaded: the runtime works by a config that it loaded before, network cbr0." });
});

it("of the three that share one text only this one fires", () => {
  const input = causeInput({ node: notReady(secondsAgo(60)), report: agentReport({ config, runtime: runtime(false), configFiles: files({ loaded: false, usableSinceMs: secondsAgo(60) }) }), ...waiting("web-1", 60) });
  expect(checked(cniConfigUnnoticed, input)[0]?.pods).toEqual(["default/web-1"]);
  expect(checked(cniConfigMissing, input).map(({ state }) => state)).toEqual(["clear"]);
});
