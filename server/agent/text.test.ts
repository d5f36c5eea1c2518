import { expect, test } from "vitest";
import type { AgentReport } from "../domain/agent-report";
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
