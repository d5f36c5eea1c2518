import { describe, expect, test } from "vitest";
import { explain } from "./explain";
import { MAX_EXPLAINED_CHARS } from "./types";

const ID = "5c".repeat(32);
const SHIM = `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "${ID}": plugin type="multus-shim" name="multus-cni-network" failed (add): CmdAdd (shim): `;
const ARGUMENTS = `'ContainerID:"${ID}" Netns:"/var/run/netns/cni-1b" IfName:"eth0" Args:"K8S_POD_NAMESPACE=default;K8S_POD_NAME=a" Path:"" ERRORED: error configuring pod [default/a] networking: `;
const STDIN = `\n': StdinData: {"clusterNetwork":"/host/etc/cni/net.d/10-bridge.conflist","cniVersion":"0.3.1","name":"multus-cni-network","type":"multus-shim"}`;
/** A delegate's error as thick multus hands it on, recorded from a real one. */
const delegate = (error: string): string => `${SHIM}CNI request failed with status 400: ${ARGUMENTS}${error}${STDIN}`;

describe("nested errors", () => {
  test("are decided by the innermost program, and every layer is told in order", () => {
    const { cause, plugin, layers, facts } = explain(delegate(`[default/a/uid:no-binary]: error adding container to network "no-binary": failed to find plugin "sriov-like" in path [/opt/cni/bin /usr/libexec/cni]`));
    expect({ cause, plugin }).toEqual({ cause: "plugin-binary-missing", plugin: "multus" });
    expect(layers?.map(({ who }) => who)).toEqual(["kubelet", "containerd", "libcni", "multus-shim", "shim", "multus"]);
    expect(facts).toEqual({ pluginType: "sriov-like", binDirs: ["/opt/cni/bin", "/usr/libexec/cni"], network: "no-binary" });
  });

  test("of a list are decided by what failed while the sandbox was made, not by the clean-up after it", () => {
    const text = `Failed create pod sandbox: rpc error: code = Unknown desc = [failed to set up sandbox container "${ID}" network for pod "a": NetworkPlugin cni failed to set up pod "a_default" network: no IP addresses available in range set: 10.0.0.1-10.0.0.2, failed to clean up sandbox container "${ID}" network for pod "a": NetworkPlugin cni failed to teardown pod "a_default" network: failed to find plugin "bridge" in path [/opt/cni/bin]]`;
    expect(explain(text).cause).toBe("ipam-exhausted");
  });

  test("are decided by the clean-up where the first half says nothing", () => {
    const text = `[failed to set up sandbox container "x" network for pod "a": NetworkPlugin cni failed to set up pod "a" network: exit status 1, failed to clean up sandbox container "x" network for pod "a": NetworkPlugin cni failed to teardown pod "a" network: failed to find plugin "bridge" in path [/opt/cni/bin]]`;
    expect(explain(text).cause).toBe("plugin-binary-missing");
  });

  test("are not decided by what only echoes the call: arguments and standard input", () => {
    expect(explain(delegate("exit status 1").replace("K8S_POD_NAME=a", "K8S_POD_NAME=no-space-left-on-device").replace("10-bridge", "text file busy")).cause).toBe("unknown");
    expect(explain(`${SHIM}failed to send CNI request: Post "http://dummy/cni": EOF: StdinData: {"name":"x509: unauthorized","type":"multus-shim"}`)).toMatchObject({ cause: "daemon-down", detail: "died-during-call" });
  });

  test("of the same words mean the ending of a sandbox where one is ended", () => {
    expect(explain('plugin type="bridge" failed (add): Link not found').cause).toBe("cni-config-invalid");
    expect(explain('plugin type="bridge" failed (delete): Link not found').cause).toBe("teardown-failed");
    expect(explain('plugin type="bridge" failed (delete): failed to find plugin "bridge" in path [/opt/cni/bin]').cause).toBe("plugin-binary-missing");
  });
});

describe("details", () => {
  test.each([
    ["stale-socket", "consumer", "Liveness probe failed: curl: (7) Couldn't connect to server"],
    ["stale-socket", "consumer", 'failed to ADD delegate: failed to send CNI request: Post "http://dummy/delegate": dial unix /host/run/multus/multus.sock: connect: connection refused'],
    ["stale-socket", "host", "listen unix /run/multus/multus.sock: bind: address already in use"],
    ["daemon-slow", "delegate-rate-limited", 'plugin type="cilium-cni" failed (add): unable to create endpoint: [PUT /endpoint/{id}][429] putEndpointIdTooManyRequests'],
    ["daemon-oom", "delegate", delegate("[default/a/uid:second]: error adding container to network \"second\": netplugin failed with no error message: signal: killed")],
    ["daemon-slow", "deadline", 'failed to setup network for sandbox "x": plugin type="multus-shim" name="multus-cni-network" failed (add): netplugin failed with no error message: signal: killed'],
    ["unknown", "deadline", "Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded"],
    ["unknown", "plugin-died", 'plugin type="bridge" failed (add): netplugin failed with no error message: exit status 2'],
  ])("%s %s", (cause, detail, text) => {
    expect(explain(text)).toMatchObject({ cause, detail });
  });
});

describe("facts", () => {
  test.each([
    ["a socket", `${SHIM}failed to send CNI request: Post "http://dummy/cni": dial unix /run/multus/multus.sock: connect: connection refused`, { socketPath: "/run/multus/multus.sock" }],
    ["the far end of a connection that was cut", 'Post "http://dummy/cni": read unix @->/host/run/multus/multus.sock: read: connection reset by peer', { socketPath: "/host/run/multus/multus.sock" }],
    ["a missing network attachment", 'cannot find a network-attachment-definition (Second-Net) in namespace (Team-A): networkattachmentdefinition.k8s.cni.cncf.io "Second-Net" not found', { network: "Team-A/Second-Net" }],
    ["who holds a name", `failed to reserve sandbox name "a_default_uid_0": name "a_default_uid_0" is reserved for "${ID}"`, { reservedFor: ID }],
    ["a file that the daemon writes", "open /run/flannel/subnet.env: no such file or directory", { file: "/run/flannel/subnet.env" }],
    ["a program that cannot be run", "fork/exec /opt/cni/bin/portmap: no such file or directory", { pluginType: "portmap", binDirs: ["/opt/cni/bin"], file: "/opt/cni/bin/portmap" }],
    ["a program in text that was quoted twice", String.raw`err="failed to find plugin \\\"Portmap\\\" in path [/opt/flannel/bin /opt/cni/bin]"`, { pluginType: "Portmap", binDirs: ["/opt/flannel/bin", "/opt/cni/bin"] }],
    ["a path in another language", "open /etc/cni/net.d/10-сеть-網路.conflist: no such file or directory", { file: "/etc/cni/net.d/10-сеть-網路.conflist" }],
  ])("tell %s", (_what, text, facts) => {
    expect(explain(text).facts).toMatchObject(facts);
  });

  test("are absent where the text holds none", () => {
    expect(explain("Unauthorized").facts).toEqual({});
  });
});

describe("failed calls", () => {
  test.each([
    ["a local daemon", "dial tcp 127.0.0.1:50051: connect: connection refused", "daemon-down"],
    ["the API server behind its Service address", 'Get "https://[10.96.0.1]:443/api/v1/pods/a": dial tcp 10.96.0.1:443: i/o timeout', "apiserver-unreachable"],
    ["the API server behind a local balancer", 'Get "https://127.0.0.1:6443/api": dial tcp 127.0.0.1:6443: connect: connection refused', "apiserver-unreachable"],
    ["a name that does not resolve", "dial tcp: lookup api.example.net on 10.0.0.2:53: no such host", "apiserver-unreachable"],
    ["the runtime itself", "dial unix /run/containerd/containerd.sock: connect: no such file or directory", "runtime-stuck-or-slow"],
    ["a socket that may not be opened", "dial unix /run/multus/multus.sock: connect: permission denied", "host-permission-or-mount"],
    ["a namespace that is gone", 'failed to Statfs "/proc/4242/ns/net": no such file or directory', "netns-gone"],
    ["a namespace that a mount does not show", 'failed to Statfs "/host/run/netns/cni-1": no such file or directory', "host-permission-or-mount"],
    ["a device", "lstat /sys/bus/pci/devices/0000:3b:02.1/physfn/net: no such file or directory", "device-unavailable"],
    ["a feature of the kernel", "open /proc/sys/net/ipv6/conf/eth0/accept_dad: no such file or directory", "kernel-or-module"],
    ["a text that is cut behind the address", "failed to send CNI request: Post \"http://dummy/cni\": dial unix /run/multus/multus.sock: conn", "daemon-down"],
  ])("to %s", (_whom, text, cause) => {
    expect(explain(text).cause).toBe(cause);
  });
});

describe("texts that say nothing", () => {
  test.each(["", " ", "\n\n", "hello world", "Pod sandbox changed, it will be killed and re-created.", "Successfully assigned default/web-0 to node-1", "Add eth0 [10.244.0.2/24] from bridge", "Started container main", "Node node-1 status is now: NodeReady"])("%j is undecided", (text) => {
    expect(explain(text)).toMatchObject({ cause: "unknown", confidence: "low", because: [], fix: [], docs: "docs/use/causes/unknown.md" });
  });
});

describe("logs of many records", () => {
  const at = (second: number): string => `2026-11-30T14:00:${String(second).padStart(2, "0")}Z`;

  test("are decided by what most of their records of the greatest weight say", () => {
    const lines = [
      `${at(1)} [verbose] ADD starting CNI request`,
      `${at(2)} [error] failed to find plugin "macvlan" in path [/opt/cni/bin]`,
      `${at(3)} [error] write /run/x: no space left on device`,
      `${at(4)} [error] failed to find plugin "macvlan" in path [/opt/cni/bin]`,
    ];
    expect(explain(lines.join("\n")).cause).toBe("plugin-binary-missing");
  });

  test("keep lines together that continue a record", () => {
    expect(explain(`${at(1)} started\n${at(2)} ${delegate("error waiting for pod: Unauthorized")}\n${at(3)} done`).cause).toBe("auth-or-rbac");
  });

  test("that a terminal broke inside words are read all the same", () => {
    expect(explain('plugin type="x" failed (add): failed to find plu\ngin "macvlan" in path [/opt/cni/bin]').cause).toBe("plugin-binary-missing");
  });
});

describe("foreign characters", () => {
  const ESCAPE = String.fromCharCode(27);
  test("of a terminal are neither matched nor quoted", () => {
    const { cause, because } = explain(`${ESCAPE}]0;title\u0007${ESCAPE}[1;31mfailed${ESCAPE}[0m to find \u0000plugin "br\u0007idge" in path [/opt/cni/bin]`);
    expect(cause).toBe("plugin-binary-missing");
    expect(because[0]?.text).toBe('failed to find plugin "bridge" in path [/opt/cni/bin]');
  });

  test("stay text: markup is quoted as it came", () => {
    expect(explain('failed to find plugin "<img src=x onerror=alert(1)>" in path [/opt/cni/bin]').because[0]?.text).toContain("<img src=x onerror=alert(1)>");
  });
});

describe("a text that is too long", () => {
  test("is read up to the bound, and the answer says so", () => {
    const { cause, because } = explain(`failed to find plugin "bridge" in path [/opt/cni/bin]. ${"x".repeat(MAX_EXPLAINED_CHARS)} text file busy`);
    expect(cause).toBe("plugin-binary-missing");
    expect(because.at(-1)?.says).toBe("Only the first 1048576 characters were read");
  });
});

describe("names", () => {
  /** Letters and digits of which Kubernetes makes the ends of pods' names, and a small generator of our own. */
  const LETTERS = "bcdfghjklmnpqrstvwxz2456789";
  const HEX = "0123456789abcdef";
  let state = 7;
  const pick = (alphabet: string, count: number): string => {
    let name = "";
    while (name.length < count) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      name += alphabet.charAt((state >>> 8) % alphabet.length);
    }
    return name;
  };

  test("of pods, sandboxes and nodes decide nothing, whatever letters they are made of", () => {
    const decided: string[] = [];
    for (let round = 0; round < 5_000; round += 1) {
      const text = `Stopping container ${pick(LETTERS, 12)} in pod ${pick(LETTERS, 5)}/web-${pick(LETTERS, 10)}-${pick(LETTERS, 5)} on ip-${pick(HEX, 8)} id ${pick(HEX, 64)}`;
      const { cause } = explain(text);
      if (cause !== "unknown") decided.push(`${cause}: ${text}`);
    }
    expect(decided).toEqual([]);
  });
});
