import { describe, expect, it } from "vitest";
import type { PluginProcess } from "../agent-readings";
import { NO_HELD_PODS } from "../judge-input";
import { shimDaemonSkew } from "./shim-daemon-skew";
import { causeCases, checked } from "./testing/cases";
import { detail, multus } from "./testing/daemons";
import { causeInput } from "./testing/input";
import { MULTUS_SOCKET, socket, socketsSeen } from "./testing/sockets";
import { saying, secondsAgo } from "./testing/texts";

/** As the agent tells of a daemon from before the path. */
const older = socket({ detail: "404 on /readyz, 200 on /healthz" });
const held = { held: { ...NO_HELD_PODS, waiting: 3, stuck: 3, oldestWaitMs: secondsAgo(140), oldestStuckMs: secondsAgo(140) } };
const shim = (pid: number, ageSeconds: number): PluginProcess => ({ pid, program: "multus-shim", path: "/opt/cni/bin/multus-shim", startedMs: secondsAgo(ageSeconds), state: "S", replaced: false });
const calls = (...items: readonly PluginProcess[]) => ({ processes: { looked: true as const, items, truncated: false } });
const timedOut = saying("daemon-slow", "CmdAdd (shim): timed out waiting for the condition", { pods: ["default/a", "default/b"] });
const text = saying("shim-daemon-skew", "HTTP not found: /readyz");

causeCases(shimDaemonSkew, {
  fires: [
    { name: "where the daemon does not know the path and shims wait for it", certainty: "named", says: [MULTUS_SOCKET, "404 on /readyz", "2 calls of multus-shim", "45 s"], input: causeInput({ ...multus(), ...held, ...socketsSeen([older], {}, calls(shim(1, 45), shim(2, 20), shim(3, 2))) }) },
    { name: "between two tries, by what the pods were told", certainty: "named", says: ["2 pods were told"], input: causeInput({ ...multus(), ...held, errors: [timedOut], ...socketsSeen([older], {}, calls()) }) },
  ],
  almost: [
    { name: "where an older daemon serves its own older shim", input: causeInput({ ...multus(), lastFreshMs: secondsAgo(20), ...socketsSeen([older], {}, calls(shim(1, 1))) }) },
    { name: "where nobody waits on it", input: causeInput({ ...multus(), ...socketsSeen([older], {}, calls()) }) },
    { name: "where the daemon knows the path, whatever waits", input: causeInput({ ...multus(), ...held, errors: [timedOut], ...socketsSeen([socket({ detail: "200 on /readyz" })], {}, calls(shim(1, 45))) }) },
    { name: "where another path is not known: it is another daemon's", input: causeInput({ ...multus(), ...held, ...socketsSeen([socket({ name: "cilium", path: "/run/cilium/cilium.sock", detail: "404 on /v1/healthz" })], { pluginTypes: ["cilium-cni"] }, calls(shim(1, 45))) }) },
  ],
  missing: [
    { name: "cannot tell without an agent", state: "unknown", says: "no agent on this node", input: causeInput({ ...multus(), ...held, report: null }) },
    { name: "cannot tell whether stuck pods wait on the unknown path where calls in flight are not told", state: "unknown", says: "does not tell of processes", input: causeInput({ ...multus(), ...held, ...socketsSeen([older]) }) },
    { name: "suspects by a text there", state: "suspected", says: "different versions", input: causeInput({ ...multus(), ...held, report: null, errors: [text] }) },
  ],
});

describe("evidence of a skew", () => {
  it("has the shim's version and the daemon's image", () => {
    const binaries = { binaries: { looked: true as const, items: [{ type: "multus-shim", dir: "/opt/cni/bin", version: "gopkg.in/k8snetworkplumbingwg/multus-cni.v4 v4.3.0", wantedBy: ["00-multus.conf"] }] } };
    const [finding] = checked(shimDaemonSkew, causeInput({ ...multus(detail({ images: { "kube-multus": "ghcr.io/k8snetworkplumbingwg/multus-cni:v4.1.0-thick" } })), ...held, ...socketsSeen([older], {}, { ...calls(shim(1, 45)), ...binaries }) }));
    expect(finding?.evidence.map(({ value }) => value)).toEqual(expect.arrayContaining(["gopkg.in/k8snetworkplumbingwg/multus-cni.v4 v4.3.0", "ghcr.io/k8snetworkplumbingwg/multus-cni:v4.1.0-thick"]));
  });

  it("says that calls in flight could not be looked at", () => {
    const [finding] = checked(shimDaemonSkew, causeInput({ ...multus(), ...held, errors: [timedOut], ...socketsSeen([older]) }));
    expect(finding?.evidence).toContainEqual(expect.objectContaining({ what: "Calls in flight", look: "could-not-look" }));
  });
});
