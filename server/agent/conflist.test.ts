import fc from "fast-check";
import { expect, test } from "vitest";
import { parseNetworkConfig } from "./conflist";

const list = (...plugins: object[]): string => JSON.stringify({ cniVersion: "1.0.0", name: "n", plugins });

test("a chain names its plugins in order, then their IPAM; delegates are apart", () => {
  const text = list(
    { type: "daemon-shim", socket: "/run/daemon-shim/daemon.sock", delegate: { type: "bridge", ipam: { type: "host-local" }, delegate: { type: "vlan" } } },
    { type: "portmap" },
    { type: "sbr", ipam: { type: "static" } },
  );
  expect(parseNetworkConfig("00-a.conflist", text)).toEqual({
    usable: true,
    pluginTypes: ["daemon-shim", "portmap", "sbr", "static"],
    delegateTypes: ["bridge", "host-local", "vlan"],
    networkName: "n",
    cniVersion: "1.0.0",
    sockets: ["/run/daemon-shim/daemon.sock"],
    callers: [{ type: "daemon-shim", socket: "/run/daemon-shim/daemon.sock" }],
  });
});

test.each([
  ["multus as its daemon writes it", { cniVersion: "0.3.1", name: "multus-cni-network", clusterNetwork: "/host/etc/cni/net.d/10-bridge.conflist", type: "multus-shim" }, ["/run/multus/multus.sock"]],
  ["multus with its socket elsewhere", { name: "m", type: "multus-shim", daemonSocketDir: "/run/multus/socket" }, ["/run/multus/socket/multus.sock"]],
  ["cilium", { name: "c", type: "cilium-cni" }, ["/run/cilium/cilium.sock"]],
  ["kube-ovn with its own key", { name: "k", type: "kube-ovn", server_socket: "/run/openvswitch/other.sock" }, ["/run/openvswitch/other.sock"]],
  ["a plugin without a daemon", { name: "b", type: "bridge" }, []],
  ["an unknown plugin that names a socket by URL", { name: "b", type: "mine", socketPath: "unix:///var/run/mine.sock" }, ["/run/mine.sock"]],
])("the sockets of %s", (_name, config, sockets) => {
  expect(parseNetworkConfig("00-x.conf", JSON.stringify(config))).toMatchObject({ usable: true, sockets });
});

test.each([
  ["a.conflist", "", "empty"],
  ["a.conf", '{"type": ', /^not JSON: /],
  ["a.conflist", '{"name":"n","plugins":[]}', /^"plugins": /],
  ["a.conflist", '{"name":"n"}', /^"plugins": /],
  ["a.conflist", '{"plugins":[{"type":"bridge"}]}', /^"name": /],
  ["a.conflist", '{"name":"n","plugins":[{"type":"bridge"},{}]}', /^"plugins.1.type": /],
  ["a.conf", '{"name":"a list in a single file","plugins":[{"type":"bridge"}]}', /^"type": /],
  ["a.conf", '{"name":"n","type":"../../bin/sh"}', /cannot be the name of a plugin/],
  ["a.json", "[]", /./],
])("%s with %j cannot be used, and it says why", (file, text, problem) => {
  const parsed = parseNetworkConfig(file, text);
  expect(parsed).toMatchObject({ usable: false, problem: typeof problem === "string" ? problem : (expect.stringMatching(problem) as string) });
});

test("what a broken file holds does not get into its problem", () => {
  for (const text of ['{"token": "s3cr3t", }', '{"password": s3cr3t}', "s3cr3t", '{"a":"s3cr3t\u0007"}', '{"s3cr3t'])
    expect(JSON.stringify(parseNetworkConfig("a.conf", text))).not.toContain("s3cr3t");
});

test("no text makes it throw", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseNetworkConfig("a.conflist", text)));
  fc.assert(fc.property(fc.jsonValue(), (value) => void parseNetworkConfig("a.conf", JSON.stringify({ name: "n", type: "t", delegate: value, ipam: value, delegates: value, socket: value }))));
});
