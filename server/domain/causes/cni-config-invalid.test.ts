import { describe, expect, it } from "vitest";
import type { ConfigReading } from "../agent-report";
import type { MultusConfig } from "../agent-readings";
import { agentReport, daemonSet, node } from "../testing/builders";
import type { DaemonView } from "../node-view";
import { cniConfigInvalid } from "./cni-config-invalid";
import { causeCases, checked } from "./testing/cases";
import { causeInput } from "./testing/input";
import { ownRequest, saying, secondsAgo, together, waiting } from "./testing/texts";

const NOT_READY = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized";
const notReady = (sinceMs = secondsAgo(60)) => node({ conditions: [{ type: "Ready", status: "False", message: NOT_READY, sinceMs }] });
const READING: ConfigReading = { dir: "/etc/cni/net.d", pluginTypes: [], sockets: [], missingBinaries: [], binDirs: ["/opt/cni/bin"], fileProblems: ["10-bridge.conflist: not JSON: Expected property name at position 2"] };
const broken = (over: Partial<ConfigReading> = {}) => agentReport({ config: { looked: true, reading: { ...READING, ...over } } });
const multus = (over: Partial<MultusConfig>) =>
  agentReport({
    config: { looked: true, reading: { ...READING, effectiveFile: "10-bridge.conflist", fileProblems: [] } },
    configFiles: { looked: true, reading: { dir: "/etc/cni/net.d", files: [], multus: { generated: false, ...over } } },
  });
/** As real multus said it of an attachment whose config is cut off. */
const UNREADABLE = "GetCNIConfig: err in getCNIConfigFromSpec: failed to unmarshal Spec.Config: unexpected end of JSON input";
const text = saying("cni-config-invalid", UNREADABLE, { pods: ["default/db-0"] });
const bad = new Map([["default/half", { pluginTypes: [], problem: "its config is not JSON" }]]);
const asking = waiting("db-0", 120, { networks: "half" }, ownRequest(120));
const multusDaemon: DaemonView = { daemonSet: "kube-system/kube-multus-ds", pod: "kube-multus-ds-a", container: "kube-multus", ready: true, restarts: 0, oomKillsMs: [] };

causeCases(cniConfigInvalid, {
  fires: [
    { name: "where the runtime has no network since the only file is broken", certainty: "named", detail: "conf-dir", says: ["10-bridge.conflist", "/etc/cni/net.d", "no network"], input: causeInput({ node: notReady(), report: broken() }) },
    { name: "as a trap, where the runtime still goes on with what it loaded before", certainty: "named", detail: "conf-dir", says: ["what it loaded before"], input: causeInput({ report: broken() }) },
    { name: "where multus cannot use its daemon config", certainty: "named", detail: "daemon-config", says: ["invalid character"], input: causeInput({ report: multus({ daemonConfigProblem: "not JSON: invalid character '\"' after object key:value pair" }) }) },
    { name: "for a network attachment that a pod here asks for and nobody can parse, by the API alone", certainty: "named", detail: "network-attachment", says: ["default/half", "not JSON"], input: causeInput({ report: null, nads: bad, ...asking }) },
    { name: "where pods say so, beside a folder that is in order", certainty: "suspected", says: ["1 pod"], input: causeInput({ errors: [text], report: broken({ effectiveFile: "10-bridge.conflist", fileProblems: [] }) }) },
  ],
  almost: [
    { name: "where a broken file lies behind the one in force", input: causeInput({ report: broken({ effectiveFile: "05-cilium.conflist", fileProblems: ["99-old.conf: empty"] }) }) },
    { name: "while the file is being written", input: causeInput({ node: notReady(secondsAgo(5)), report: broken() }) },
    { name: "where nobody here asks for the broken attachment", input: causeInput({ nads: bad, ...waiting("web-1", 200), report: broken({ effectiveFile: "10-bridge.conflist", fileProblems: [] }) }) },
    { name: "without an agent, where the runtime is ready", input: causeInput({ report: null }) },
    { name: "where the folder is empty", input: causeInput({ node: notReady(), report: broken({ fileProblems: [] }) }) },
  ],
  missing: [
    { name: "cannot tell without an agent why the runtime has no network", state: "unknown", says: "no agent on this node", input: causeInput({ report: null, node: notReady() }) },
    { name: "cannot tell of attachments that may not be seen", state: "unknown", says: "forbidden", input: causeInput({ report: null, ...asking, kind: (kind) => (kind === "nads" ? { seen: false, reason: "nads are forbidden" } : { seen: true }), nads: null }) },
    { name: "suspects by the text where attachments may not be seen", state: "suspected", says: "1 pod", input: causeInput({ report: null, ...asking, errors: [text] }) },
    { name: "cannot tell of a daemon config that the agent may not read", state: "unknown", says: "EACCES", input: causeInput({ report: multus({ daemonConfigProblem: "could not be read: EACCES" }) }) },
    { name: "cannot tell of the daemon config where the agent is older than that", state: "unknown", says: "older than Sandglass", input: causeInput({ report: broken({ effectiveFile: "00-multus.conf", fileProblems: [] }), daemons: [multusDaemon], cniDaemons: [{ cni: "multus", by: "table", key: multusDaemon.daemonSet, container: "kube-multus", daemonSet: daemonSet() }] }) },
  ],
});

describe("what it brings about, and how grave it is, goes by what is broken", () => {
  const of = (input: ReturnType<typeof causeInput>) => checked(cniConfigInvalid, input).map(({ detail, severity, explains }) => ({ detail, severity, explains }));

  it("a file that leaves the runtime without a network explains the missing config and sandboxes that cannot be ended, a trap only risks it", () => {
    expect(of(causeInput({ node: notReady(), report: broken() }))).toEqual([{ detail: "conf-dir", severity: undefined, explains: ["cni-config-missing", "teardown-failed"] }]);
    expect(of(causeInput({ report: broken() }))).toMatchObject([{ severity: "risks" }]);
  });

  it("a refused daemon config explains a daemon that is down, a pod's own attachment explains nothing and is a notice", () => {
    expect(of(causeInput({ report: multus({ daemonConfigProblem: "empty" }) }))).toEqual([{ detail: "daemon-config", severity: "risks", explains: ["daemon-down", "silent-bypass"] }]);
    expect(of(causeInput({ nads: bad, ...asking, errors: [text], report: broken({ effectiveFile: "10-bridge.conflist", fileProblems: [] }) }))).toEqual([{ detail: "network-attachment", severity: "notice", explains: [] }]);
  });

  it("a text of another pod is not covered by the attachment that is known to be broken", () => {
    const other = { ...text, pods: ["default/db-0", "default/web-1"], count: 2 };
    expect(of(causeInput({ report: null, nads: bad, ...together(asking, waiting("web-1", 100)), errors: [other] })).map(({ detail }) => detail)).toEqual(["network-attachment", undefined]);
  });
});
