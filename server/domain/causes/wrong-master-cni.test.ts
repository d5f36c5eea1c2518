import { describe, expect, it } from "vitest";
import type { ConfFile, MultusConfig } from "../agent-readings";
import type { AgentReport } from "../agent-report";
import { agentReport, daemonSet, namespace, node, objectName } from "../testing/builders";
import { causeCases, checked } from "./testing/cases";
import { daemonPod, daemons, detail, down, ended, multus, multusDaemonSet } from "./testing/daemons";
import { causeInput, errorGroup } from "./testing/input";
import { secondsAgo } from "./testing/texts";
import { wrongMasterCni } from "./wrong-master-cni";

const file = (name: string, ...pluginTypes: readonly string[]): ConfFile => ({ name, usable: true, pluginTypes });
const own = file("00-multus.conf", "multus-shim");
const bridge = file("10-bridge.conflist", "bridge", "host-local");
const leftOver = file("87-leftover.conflist", "ptp", "host-local");
const cilium = file("05-cilium.conflist", "cilium-cni");
const conf = (of: MultusConfig, ...files: readonly ConfFile[]): AgentReport => agentReport({ configFiles: { looked: true, reading: { dir: "/etc/cni/net.d", files: [own, ...files], multus: of } } });
const hands = (clusterNetwork: string, over: Partial<MultusConfig> = {}): MultusConfig => ({ generated: true, clusterNetwork, clusterNetworkExists: true, ...over });
const ciliumDaemonSet = daemonSet({ uid: "cilium", name: objectName("cilium"), matchLabels: { "k8s-app": "cilium" }, containers: [{ name: "cilium-agent", init: false }] });
const ciliumPod = daemonPod(detail({ running: [{ container: "cilium-agent", init: false, sinceMs: secondsAgo(3_600) }] }), { uid: "cilium-uid", name: objectName("cilium-x"), namespace: namespace("kube-system"), owner: "DaemonSet/cilium" });
const withCilium = daemons([daemonPod(detail()), ciliumPod], [multusDaemonSet(), ciliumDaemonSet]);
/** Recorded, as the daemon ends over a file that is not there. */
const ENDED = "2026-08-30T11:05:01Z [verbose] multus-daemon started\n2026-08-30T11:05:01Z [error] failed to access the primary CNI configuration from /host/etc/cni/net.d/05-missing.conflist: failed to read the cluster primary CNI config /host/etc/cni/net.d/05-missing.conflist: open: no such file or directory\n2026-08-30T11:05:01Z [error] failed to create the configuration manager";
const AT_CALL = "CmdAdd (shim): CNI request failed with status 400: 'ERRORED: error configuring pod [default/p] networking: Multus: [default/p/u]: failed to get clusterNetwork/defaultNetworks: GetDefaultNetworks: failed to get clusterNetwork /host/etc/cni/net.d/20-other.conflist in namespace kube-system'";

causeCases(wrongMasterCni, {
  fires: [
    { name: "where the daemon ends over a file that is not there, by the API alone", certainty: "named", detail: "missing", says: ["05-missing.conflist"], input: causeInput({ ...multus(down(20, { terminations: [ended({ exitCode: 2, message: ENDED })] })), report: null }) },
    { name: "where the file that is in force was removed", certainty: "named", detail: "missing", says: ["20-other.conflist", "every pod fails"], input: causeInput({ ...multus(), report: conf(hands("20-other.conflist", { clusterNetworkExists: false }), bridge) }) },
    { name: "where the key stands below another one and another file was taken", certainty: "named", detail: "nested", says: ["05-cilium.conflist", "10-bridge.conflist was taken"], input: causeInput({ ...multus(), report: conf(hands("10-bridge.conflist", { nestedMasterCni: "05-cilium.conflist" }), bridge) }) },
    { name: "where it stands there and the same file was taken by chance", certainty: "named", detail: "nested", says: ["by its name alone"], input: causeInput({ ...multus(), report: conf(hands("10-bridge.conflist", { nestedMasterCni: "10-bridge.conflist" }), bridge) }) },
    { name: "where another file came later and will be taken at the next start (recorded)", certainty: "named", detail: "race", says: ["87-leftover.conflist", "10-bridge.conflist came later"], input: causeInput({ ...multus(), report: conf(hands("87-leftover.conflist"), bridge, leftOver) }) },
    { name: "where the node's own CNI is passed by", certainty: "named", detail: "other-cni", says: ["10-bridge.conflist", "cilium", "05-cilium.conflist"], input: causeInput({ ...withCilium, report: conf(hands("10-bridge.conflist", { masterCni: "10-bridge.conflist" }), cilium, bridge) }) },
    { name: "where the daemon was not started since its config names another file", certainty: "named", detail: "not-in-force", input: causeInput({ ...multus(), report: conf(hands("10-bridge.conflist", { masterCni: "87-leftover.conflist", daemonConfigModifiedMs: secondsAgo(300) }), bridge, leftOver) }) },
  ],
  almost: [
    { name: "where the key names the file that is in force", input: causeInput({ ...withCilium, report: conf(hands("05-cilium.conflist", { masterCni: "05-cilium.conflist" }), cilium, bridge) }) },
    { name: "where no key is set and the first by name is in force", input: causeInput({ ...multus(), report: conf(hands("10-bridge.conflist"), bridge, leftOver) }) },
    { name: "where a broken file comes before it by name", input: causeInput({ ...multus(), report: conf(hands("10-bridge.conflist"), { name: "05-x.conflist", usable: false, pluginTypes: [] }, bridge) }) },
    { name: "where no CNI with a daemon has a config here: a plain bridge is meant", input: causeInput({ ...multus(), report: conf(hands("10-bridge.conflist"), bridge) }) },
    { name: "while a node joins, before its CNIs have written their files", input: causeInput({ ...withCilium, node: node({ createdMs: secondsAgo(100) }), report: conf(hands("87-leftover.conflist"), cilium, leftOver) }) },
    { name: "where the daemon runs again after such an end", input: causeInput({ ...multus(detail({ terminations: [ended({ exitCode: 2, message: ENDED })] })), report: conf(hands("10-bridge.conflist"), bridge) }) },
    { name: "where multus does not run", input: causeInput({ report: agentReport({ configFiles: { looked: true, reading: { dir: "/etc/cni/net.d", files: [bridge] } } }) }) },
    { name: "without an agent on a node without multus", input: causeInput({ report: null }) },
  ],
  missing: [
    { name: "cannot tell without an agent where multus runs", state: "unknown", says: "no agent on this node", input: causeInput({ ...multus(), report: null }) },
    { name: "suspects by multus' own words there", state: "suspected", says: "cannot find the network", input: causeInput({ ...multus(), report: null, errors: [errorGroup(AT_CALL)] }) },
  ],
});

describe("a wrong master", () => {
  it("blocks where every call fails, and is a notice where it is right by chance", () => {
    const severityOf = (report: AgentReport) => checked(wrongMasterCni, causeInput({ ...multus(), report }))[0]?.severity;
    expect(severityOf(conf(hands("20-other.conflist", { clusterNetworkExists: false }), bridge))).toBe("blocks");
    expect(severityOf(conf(hands("10-bridge.conflist", { nestedMasterCni: "10-bridge.conflist" }), bridge))).toBe("notice");
    expect(severityOf(conf(hands("87-leftover.conflist"), bridge, leftOver))).toBeUndefined();
  });

  it("quotes the line of the daemon's last words that names the file", () => {
    const [finding] = checked(wrongMasterCni, causeInput({ ...multus(down(20, { terminations: [ended({ exitCode: 2, message: ENDED })] })), report: null }));
    expect(finding?.summary).not.toContain("multus-daemon started");
  });
});
