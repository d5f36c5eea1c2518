import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSandboxError, requestedNetworks, type RequestContext } from "./own-request";
import { MAX_ERROR_TEXT_CHARS } from "./pod-trail";

const context = (over: Partial<RequestContext> = {}): RequestContext => ({ nadPluginTypes: new Set(), ...over });

/** A text as the kubelet tells it of thick multus: the shim's wrapper, the daemon's, the pod's, and the config behind. */
const shim = (inner: string): string =>
  `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "2573": plugin type="multus-shim" name="multus-cni-network" failed (add): CmdAdd (shim): CNI request failed with status 400: 'ContainerID:"2573" Netns:"/var/run/netns/cni-1" IfName:"eth0" Args:"K8S_POD_NAMESPACE=default;K8S_POD_NAME=app" Path:"" ERRORED: error configuring pod [default/app] networking: ${inner}\n': StdinData: {"clusterNetwork":"/host/etc/cni/net.d/10-bridge.conflist","name":"multus-cni-network","type":"multus-shim"}`;
const delegates = (inner: string): string => shim(`Multus: [default/app/uid]: error loading k8s delegates k8s args: TryLoadPodDelegates: error in getting k8s network for pod: GetNetworkDelegates: failed getting the delegate: ${inner}`);
const inNetwork = (network: string, inner: string): string => shim(`[default/app/uid:${network}]: error adding container to network "${network}": ${inner}`);
const missing = (type: string): string => `failed to find plugin "${type}" in path [/opt/cni/bin]`;
const verdict = (text: string, over: Partial<RequestContext> = {}): string => readSandboxError(text, context(over)).verdict;

describe("a sandbox error that names the pod's own request", () => {
  it("a network attachment that does not exist, or whose kind does not", () => {
    const text = delegates('getKubernetesDelegate: cannot find a network-attachment-definition (not-there) in namespace (default): networkattachmentdefinition.k8s.cni.cncf.io "not-there" not found');
    expect(readSandboxError(text, context())).toEqual({ verdict: "own-request", because: 'Network attachment "not-there" does not exist' });
    expect(verdict(delegates("getKubernetesDelegate: cannot find a network-attachment-definition (a) in namespace (default): the server could not find the requested resource"))).toBe("own-request");
    expect(verdict('cannot find a network-attachment-definition (a) in namespace (b): networkattachmentdefinition.k8s.cni.cncf.io "a" not found')).toBe("own-request");
  });

  it("a network attachment or an annotation that cannot be parsed", () => {
    expect(verdict(delegates("GetCNIConfig: err in getCNIConfigFromSpec: failed to unmarshal Spec.Config: unexpected end of JSON input"))).toBe("own-request");
    expect(verdict(shim("Multus: [default/app/uid]: parsePodNetworkAnnotation: failed to parse pod Network Attachment Selection Annotation JSON format: invalid character"))).toBe("own-request");
    expect(verdict(inNetwork("bridge-conf", "conflistAdd: error converting the raw bytes into a conflist: failed to parse plugin config 1"), { networks: "bridge-conf" })).toBe("own-request");
  });

  it("a plugin of one of the pod's own networks", () => {
    const text = inNetwork("no-binary", missing("sriov-like"));
    expect(verdict(text, { networks: "no-binary" })).toBe("own-request");
    expect(verdict(text, { networks: "kube-system/other@eth1, default/no-binary@net1" })).toBe("own-request");
    expect(verdict(text, { networks: '[{"name":"no-binary","namespace":"default"}]' })).toBe("own-request");
  });

  it("a plugin that only network attachments name, where the default network's plugins are known", () => {
    const text = inNetwork("a-config-name", missing("macvlan"));
    expect(verdict(text, { networks: "net-a", nadPluginTypes: new Set(["macvlan"]), effectivePluginTypes: ["multus-shim", "bridge", "host-local"] })).toBe("own-request");
  });

  it("a device", () => {
    expect(verdict(inNetwork("sriov-network", "SRIOV-CNI failed to load netconf: LoadConf(): VF pci addr is required"), { networks: "sriov-network" })).toBe("own-request");
    expect(verdict(inNetwork("sriov", 'SRIOV-CNI failed to load netconf: LoadConf(): failed to get VF information: "lstat /sys/bus/pci/devices/0000:65:11.0/physfn/net: no such file or directory"'), { networks: "sriov" })).toBe("own-request");
  });

  it("a runtime handler that the runtime does not have", () => {
    expect(readSandboxError('Failed to create pod sandbox: rpc error: code = Unknown desc = unable to get OCI runtime for sandbox "1": no runtime for "kata" is configured', context())).toEqual({
      verdict: "own-request",
      because: 'It asks for the runtime handler "kata", which this node\'s runtime does not have',
    });
  });
});

describe("a sandbox error that does not", () => {
  it("an API server that cannot be asked for the attachment, though multus uses the same sentence", () => {
    expect(verdict(delegates('getKubernetesDelegate: cannot find a network-attachment-definition (a) in namespace (default): Get "https://10.96.0.1:443/apis": dial tcp 10.96.0.1:443: i/o timeout'))).toBe("not");
    expect(verdict(delegates("getKubernetesDelegate: cannot find a network-attachment-definition (a) in namespace (default): Unauthorized"))).toBe("not");
  });

  it("the node's default network, whatever it names", () => {
    expect(verdict(shim("Multus: [default/app/uid]: failed to get clusterNetwork/defaultNetworks: GetDefaultNetworks: failed to get clusterNetwork /host/etc/cni/net.d/20-other.conflist in namespace kube-system"), { networks: "20-other" })).toBe("not");
    expect(verdict('failed to setup network for sandbox "1": cni plugin not initialized')).toBe("not");
  });

  it("a plugin of the node's own conflist, for a pod that asks for nothing", () => {
    const text = `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "1": plugin type="bridge" failed (add): ${missing("bridge")}`;
    expect(verdict(text)).toBe("not");
    expect(verdict(text, { nadPluginTypes: new Set(["bridge"]) })).toBe("not");
    expect(verdict(text, { networks: "net-a", nadPluginTypes: new Set(["bridge"]), effectivePluginTypes: ["bridge"] })).toBe("not");
  });

  it("what is undecided: a missing plugin of the default network behind multus, which an attachment names as well", () => {
    const text = inNetwork("cbr0", missing("bridge"));
    expect(verdict(text, { networks: "second-bridge", nadPluginTypes: new Set(["bridge"]) })).toBe("undecided");
    expect(verdict(text, { networks: "second-bridge", nadPluginTypes: new Set(["bridge"]), effectivePluginTypes: ["multus-shim"] })).toBe("undecided");
  });

  it("what is undecided: time-outs, refusals, reserved names, full ranges, and a device text of a pod that asks for none", () => {
    for (const text of [
      "Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
      'failed to reserve sandbox name "a_default_uid_0": name "a_default_uid_0" is reserved for "1"',
      'CmdAdd (shim): failed to send CNI request: Post "http://dummy/cni": dial unix /run/multus/multus.sock: connect: connection refused',
      inNetwork("bridge", "failed to allocate for range 0: no IP addresses available in range set: 10.1.0.1-10.1.0.2"),
      "LoadConf(): VF pci addr is required",
      "",
    ]) {
      expect(verdict(text), text).toBe("undecided");
    }
  });

  it("what the config behind the error says", () => {
    expect(verdict(`connect: connection refused: StdinData: {"x":"cannot find a network-attachment-definition (a) in namespace (b): not found"}`)).toBe("undecided");
  });
});

describe("reading hostile text", () => {
  it("reads no further than its bound", () => {
    const marker = 'cannot find a network-attachment-definition (a) in namespace (b): "a" not found';
    expect(verdict(marker.padStart(MAX_ERROR_TEXT_CHARS, "x"))).toBe("own-request");
    expect(verdict("x".repeat(MAX_ERROR_TEXT_CHARS) + marker)).toBe("undecided");
  });

  it("reads a text of megabytes, made of nothing but its marks, as it reads the text's beginning", () => {
    const marks = ["failed to find plugin ", 'error adding container to network "', "cannot find a network-attachment-definition (", "no runtime for ", '"', "((((", "StdinData:", "a\n"];
    for (const mark of marks) {
      const text = mark.repeat(500_000);
      const hostile = context({ networks: "a,".repeat(500_000), nadPluginTypes: new Set(["a"]) });
      expect(readSandboxError(text, hostile)).toEqual(readSandboxError(text.slice(0, MAX_ERROR_TEXT_CHARS), hostile));
    }
  });

  it("never throws, and always gives one of three verdicts", () => {
    const piece = fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.constantFrom("failed to find plugin ", 'error adding container to network "', '"', "cannot find a network-attachment-definition (", ") in namespace (", "not found", "StdinData:", "no runtime for ", " is configured", "VF pci addr is required"));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.option(fc.string({ maxLength: 60 }), { nil: undefined }), (pieces, networks) => {
        const reading = readSandboxError(pieces.join(""), context(networks === undefined ? {} : { networks }));
        expect(["own-request", "not", "undecided"]).toContain(reading.verdict);
      }),
    );
  });
});

describe("requestedNetworks", () => {
  it.each([
    ["a", ["a"]],
    ["ns/a@eth1, b ,c@x", ["a", "ns/a", "b", "c"]],
    ['[{"name":"a","namespace":"ns"},{"name":"b"},{"nope":1},7]', ["a", "ns/a", "b"]],
    ["[broken", []],
    ["", []],
    [",,/@", []],
  ])("reads %s", (annotation, names) => {
    expect([...requestedNetworks(annotation)].sort()).toEqual([...names].sort());
  });
});
