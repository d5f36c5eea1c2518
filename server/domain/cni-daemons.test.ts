import { describe, expect, it } from "vitest";
import { CNI_FOLDERS, CNI_ROWS, cniDaemonOf, socketsOfPlugins } from "./cni-daemons";
import { KNOWN_SOCKETS } from "./known-sockets";
import { daemonSet, namespace, objectName } from "./testing/builders";

const unknown = { name: objectName("house-net"), namespace: namespace("net"), matchLabels: { app: "house-net" } };

describe("a DaemonSet", () => {
  it("is a CNI daemon by its name, whatever its labels and mounts", () => {
    expect(cniDaemonOf(daemonSet({ matchLabels: {}, hostPaths: [] }), [])).toMatchObject({ cni: "multus", by: "table", key: "kube-system/kube-multus-ds", container: "kube-multus" });
  });

  it("is one by its label, whatever its name", () => {
    expect(cniDaemonOf(daemonSet({ ...unknown, matchLabels: { "k8s-app": "cilium", extra: "x" } }), [])).toMatchObject({ cni: "cilium", by: "table", container: "kube-multus" });
  });

  it.each(CNI_FOLDERS.map((folder) => [folder]))("is one by its mount of %s", (folder) => {
    expect(cniDaemonOf(daemonSet({ ...unknown, hostPaths: ["/proc", `${folder}/`] }), [])).toMatchObject({ cni: "house-net", by: "mounts", key: "net/house-net" });
  });

  it("is none by a mount of what lies beside those folders", () => {
    for (const hostPath of ["/", "/etc/cni", "/opt/cni/bin/extra", "/etc/cni/net.d-old", "/run/multus/multus.sock", "/var/lib/kubelet"]) {
      expect(cniDaemonOf(daemonSet({ ...unknown, hostPaths: [hostPath] }), []), hostPath).toBeUndefined();
    }
  });

  it("is one where an override names it, and then no other is", () => {
    const overrides = ["net/house-net"];
    expect(cniDaemonOf(daemonSet({ ...unknown, hostPaths: [] }), overrides)).toMatchObject({ by: "override", cni: "house-net" });
    expect(cniDaemonOf(daemonSet(), overrides)).toBeUndefined();
    expect(cniDaemonOf(daemonSet(), ["kube-system/kube-multus-ds"])).toMatchObject({ by: "override", cni: "multus", container: "kube-multus" });
  });

  it("is served by its first container that is no init container, where no row names one", () => {
    const containers = [{ name: "install", init: true }, { name: "agent", init: false }, { name: "metrics", init: false }];
    expect(cniDaemonOf(daemonSet({ ...unknown, containers }), [])?.container).toBe("agent");
    expect(cniDaemonOf(daemonSet({ ...unknown, containers: [{ name: "install", init: true }] }), []), "nothing serves").toBeUndefined();
  });
});

describe("the table", () => {
  it("names each CNI, DaemonSet and label once", () => {
    for (const all of [CNI_ROWS.map(({ cni }) => cni), CNI_ROWS.flatMap(({ daemonSets }) => daemonSets), CNI_ROWS.flatMap(({ labels }) => labels)]) expect(new Set(all).size).toBe(all.length);
    expect(CNI_ROWS.flatMap(({ labels }) => labels).every((label) => /^[^=]+=[^=]+$/.test(label))).toBe(true);
  });

  it("has a row for every CNI whose plugin is known to call a socket", () => {
    const types = new Set(CNI_ROWS.flatMap(({ pluginTypes }) => pluginTypes));
    expect(KNOWN_SOCKETS.flatMap(({ pluginTypes }) => pluginTypes).filter((type) => !types.has(type))).toEqual([]);
  });

  it("tells which sockets a conflist's plugins call", () => {
    expect([...socketsOfPlugins(["multus-shim"])]).toEqual(["/run/multus/multus.sock"]);
    expect([...socketsOfPlugins(["cilium-cni", "portmap"])]).toEqual(["/run/cilium/cilium.sock"]);
    expect([...socketsOfPlugins(["calico", "bridge"])]).toEqual([]);
  });
});
