import { expect, test } from "vitest";
import type { AgentReport } from "../domain/agent-report";
import { EVERY_LATER_PART } from "../domain/testing/later-parts";
import { reportAsText } from "./text";

const report: AgentReport = {
  version: 1,
  node: "node-1",
  startId: "s",
  sequence: 1,
  atMs: Date.UTC(2026, 0, 1),
  agentVersion: "0.1.0",
  runtime: { looked: true, reading: { name: "containerd", version: "1.6", conditions: [{ type: "NetworkReady", status: false, reason: "NetworkPluginNotReady", message: "cni plugin not initialized\u001b[31m" }] } },
  sandboxes: { looked: true, items: [], tookSeconds: 0.02, truncated: false },
  sockets: { looked: true, items: [{ name: "multus", path: "/run/multus/multus.sock", state: "silent" }], unseen: [{ name: "cilium", path: "/run/cilium/cilium.sock", reason: "EACCES" }] },
  config: { looked: false, reason: "no folder /etc/cni/net.d" },
};

test("a person reads every part, what could not be looked at with its reason, and no control characters", () => {
  expect(reportAsText(report)).toBe(`node node-1, 2026-01-01T00:00:00.000Z, agent 0.1.0
runtime   containerd 1.6
          NetworkReady: false NetworkPluginNotReady: cni plugin not initialized?[31m
sandboxes 0 ready, 0 dead, listed in 0.020 s
socket    multus /run/multus/multus.sock: silent
socket    cilium /run/cilium/cilium.sock: could not look: EACCES
config    could not look: no folder /etc/cni/net.d
`);
});

test("the later parts: what is in order in few words, what is not with its name, and why nothing could be seen", () => {
  const lines = reportAsText({ ...report, ...EVERY_LATER_PART, socketUse: { looked: false, reason: "EACCES" } }).split("\n");
  const text = lines.slice(lines.findIndex((line) => line.startsWith("files"))).join("\n");
  expect(text).toBe(`files     00-multus.conf: cannot be used: not JSON: a comma or a bracket was expected at line 3, column 7
          the runtime has not loaded it; it is there since 2026-05-28T20:10:00.006Z
          the runtime works by another config, that of network cbr0
          multus: thick; config generated; hands on to 10-bridge.conflist, which is not there; multusMasterCNI 05-cilium.conflist; multusMasterCNI 10-bridge.conflist below another key, where it does not count; waits for /host/etc/cni/net.d/05-cilium.conflist; daemon-config.json: empty
changed   10-bridge.conflist was changed at 2026-05-28T20:10:00.008Z: -   "bridge": "cni0" | +   "bridge": "cni1"
programs  0 in order
          bridge: empty in /opt/cni/bin, asked for by 10-bridge.conflist, NAD
          could not look: /usr/libexec/cni: EACCES
plugins   1 run
          89204 multus-shim S since 2026-05-28T20:10:00.003Z ADD for default/load-7bf9d7dfdd-lhgx9, its program is no longer the one at its path
mounts    1 stale of 3; 1 namespaces could not be read
          directory /host/run/multus of kube-system/dynamic-networks-controller-x2x4z controller is not /run/multus/multus.sock any more (deleted)
use       could not look: EACCES
cgroups   kube-system/kube-multus-ds-abcde kube-multus (multus): CPU limit 0.1; throttled in 6195 of 6217 periods; memory 39.1 MiB, peak 50.0 MiB, limit 50.0 MiB; 2 OOM kills; the pod itself has no memory limit
caches    /var/lib/cni/results: 110 entries, 1 broken (cbr0-1f-eth0); cut at 20000 entries
          cbr0 10.244.0.0/24: 110 leases of 253, 3 of sandboxes that are gone
logins    /etc/cni/net.d/multus.d/multus.kubeconfig: token, good until 2026-05-17T06:40:00.000Z, as an example
kubelet   runtimeRequestTimeout 900 s (--runtime-request-timeout)
pods      1 by the kubelet's own list, 1 of them running
`);
});
