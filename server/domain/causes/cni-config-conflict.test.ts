import { expect, it } from "vitest";
import type { ConfigReading, SocketReading } from "../agent-report";
import { cniDaemonOf } from "../cni-daemons";
import type { EffectiveSocket } from "../judge-input";
import type { DaemonSetObject } from "../model";
import type { DaemonView } from "../node-view";
import { agentReport, daemonSet, objectName } from "../testing/builders";
import { cniConfigConflict } from "./cni-config-conflict";
import { causeCases, checked } from "./testing/cases";
import { causeInput, type InputParts } from "./testing/input";
import { saying, waiting } from "./testing/texts";

const ds = (name: string): DaemonSetObject => daemonSet({ uid: name, name: objectName(name), matchLabels: {}, containers: [{ name, init: false }] });
const CILIUM = ds("cilium");
const FLANNEL = ds("kube-flannel-ds");
const SPIDER = ds("kube-sriov-cni-ds");
/** DaemonSets of the cluster, each with a pod on this node. */
const here = (...all: readonly DaemonSetObject[]): InputParts => ({
  daemonSets: all,
  cniDaemons: all.flatMap((one) => cniDaemonOf(one, []) ?? []),
  daemons: all.map(({ name }): DaemonView => ({ daemonSet: `kube-system/${name}`, pod: `${name}-x`, container: name, ready: true, restarts: 0, oomKillsMs: [] })),
});
const config = (effectiveFile: string, pluginTypes: readonly string[], over: Partial<ConfigReading> = {}) =>
  agentReport({ config: { looked: true, reading: { dir: "/etc/cni/net.d", effectiveFile, pluginTypes, sockets: [], missingBinaries: [], binDirs: ["/opt/cni/bin"], ...over } } });
const socket = (path: string, state: SocketReading["state"]): EffectiveSocket => ({ name: "x", path, state, effective: true });
const antrea = config("05-antrea.conflist", ["antrea"]);
const ANTREA_CALL = saying("daemon-down", 'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing dial unix /var/run/antrea/cni.sock: connect: no such file or directory"', { facts: { socketPath: "/var/run/antrea/cni.sock" } });

causeCases(cniConfigConflict, {
  fires: [
    { name: "where the file of a CNI that left is in force and its socket is gone", certainty: "named", says: ["05-antrea.conflist", "antrea", "cilium"], input: causeInput({ ...here(CILIUM), report: antrea, sockets: [socket("/var/run/antrea/cni.sock", "absent")] }) },
    { name: "where the program of the CNI that left is gone too", certainty: "named", says: ["05-cilium.conf"], input: causeInput({ ...here(FLANNEL), report: config("05-cilium.conf", ["cilium-cni"], { missingBinaries: ["cilium-cni"] }) }) },
    { name: "where pods are stuck and nothing else shows it", certainty: "suspected", input: causeInput({ ...here(FLANNEL), report: config("10-calico.conflist", ["calico"]), ...waiting("web-1", 120) }) },
    { name: "where multus was removed and its file stayed", certainty: "named", says: ["00-multus.conf", "multus"], input: causeInput({ ...here(CILIUM), report: config("00-multus.conf", ["multus-shim"]), sockets: [socket("/run/multus/multus.sock", "absent")] }) },
  ],
  almost: [
    { name: "where the CNI's DaemonSet exists and its daemon is down", input: causeInput({ ...here(CILIUM), report: config("05-cilium.conflist", ["cilium-cni"]), sockets: [socket("/var/run/cilium/cilium.sock", "refuses")] }) },
    { name: "where the distribution itself brings the CNI (flannel in k3s)", input: causeInput({ ...here(), report: config("10-flannel.conflist", ["flannel", "portmap"]), ...waiting("web-1", 120) }) },
    { name: "the same beside a DaemonSet that only adds networks", input: causeInput({ ...here(SPIDER), report: config("10-flannel.conflist", ["flannel", "portmap"]), ...waiting("web-1", 120) }) },
    { name: "where it has no DaemonSet and serves all the same", input: causeInput({ ...here(CILIUM), report: config("10-calico.conflist", ["calico"]) }) },
    { name: "where the file belongs to no CNI that is known", input: causeInput({ ...here(CILIUM), report: config("10-own.conflist", ["bridge"]), ...waiting("web-1", 120) }) },
    { name: "where two CNIs that both run share a chain", input: causeInput({ ...here(CILIUM, ds("aws-node")), report: config("05-cilium.conflist", ["aws-cni", "cilium-cni"]), ...waiting("web-1", 120) }) },
  ],
  missing: [
    { name: "suspects where pods call the socket of a CNI that the cluster does not have", state: "suspected", says: "1 pod", input: causeInput({ ...here(CILIUM), report: null, errors: [ANTREA_CALL] }) },
    { name: "cannot tell without an agent", state: "unknown", says: "no agent on this node", input: causeInput({ ...here(CILIUM), report: null }) },
    { name: "cannot tell where DaemonSets may not be seen", state: "unknown", says: "DaemonSets cannot be seen: forbidden", input: causeInput({ report: antrea, sockets: [socket("/var/run/antrea/cni.sock", "absent")], kind: (kind) => (kind === "daemonsets" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
    { name: "suspects by a text of its own", state: "suspected", says: "1 pod", input: causeInput({ report: null, errors: [saying("cni-config-conflict", "unable to connect to Cilium daemon")] }) },
  ],
});

it("a call to a CNI that the cluster has, or to one of a cluster without any, says nothing of a conflict", () => {
  const call = saying("daemon-down", "dial unix /var/run/cilium/cilium.sock: connect: connection refused", { facts: { socketPath: "/run/cilium/cilium.sock" } });
  expect(checked(cniConfigConflict, causeInput({ ...here(CILIUM), report: null, errors: [call] })).map(({ state }) => state)).toEqual(["unknown"]);
  expect(checked(cniConfigConflict, causeInput({ report: null, errors: [ANTREA_CALL] })).map(({ state }) => state)).toEqual(["unknown"]);
});
