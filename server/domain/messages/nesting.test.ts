import { describe, expect, test } from "vitest";
import { explain } from "./explain";
import { alike } from "./testing/score";

/** Sentences that only say where an error passed through, of several programs and layers. */
const FRAMES: readonly string[] = [
  'failed to setup network for sandbox "a1": ',
  'plugin type="x" name="y" failed (add): ',
  "CmdAdd (shim): CNI request failed with status 400: 'ERRORED: error configuring pod [ns/p] networking: ",
  'error adding container to network "n1": ',
  "Multus: [ns/p/u]: error getting pod: ",
  "error loading k8s delegates k8s args: TryLoadPodDelegates: error in getting k8s network for pod: ",
  "failed to get clusterNetwork/defaultNetworks: ",
  "LoadNetConf: failed to load delegate 0 config: ",
  "cannot find a network-attachment-definition (n1) in namespace (ns): ",
  "SetNetworkStatus: failed to update the pod p in out of cluster comm: ",
  "error getting ClusterInformation: ",
  "Unable to create token for CNI kubeconfig error=",
  "unable to connect to K8s server: ",
  "failed to get pod annotation: ",
  "failed to configure pod interface: ",
  "error at storage engine: IPAM connectivity error: ",
  "IPAM error reading pool allocations (attempt: 1): ",
  "add cmd: failed to assign an IP address to container: ",
  "Failed to get IP address from CNS: ",
  "configure nic failed ",
];

/** Errors that stand for themselves, with their cause whatever is said around them. */
const INNERMOST: readonly (readonly [cause: string, text: string])[] = [
  ["apiserver-unreachable", 'Get "https://10.96.0.1:443/api/v1/nodes/n1": dial tcp 10.96.0.1:443: i/o timeout'],
  ["apiserver-unreachable", 'Get "https://10.96.0.1:443/api/v1/nodes/n1": dial tcp 10.96.0.1:443: connect: connection refused'],
  ["apiserver-unreachable", "etcdserver: request timed out"],
  ["auth-or-rbac", 'pods "p" is forbidden: User "system:serviceaccount:a:b" cannot get resource "pods" in API group ""'],
  ["auth-or-rbac", 'Get "https://10.96.0.1:443/api": x509: certificate has expired or is not yet valid'],
  ["daemon-down", "dial unix /run/some/daemon.sock: connect: no such file or directory"],
  ["host-permission-or-mount", "open /run/some/state: permission denied"],
  ["node-resource-exhausted", "pipe2: too many open files"],
  ["plugin-binary-missing", 'failed to find plugin "y" in path [/opt/cni/bin]'],
];

describe.each(INNERMOST)("%s", (cause, text) => {
  test.each(FRAMES)("is told of the innermost error behind %j", (frame) => {
    const said = explain(frame + text).cause;
    expect(alike(said, cause) ? cause : said).toBe(cause);
  });
});

describe("a sandbox whose making and cleaning up failed", () => {
  const cleanUp = 'failed to clean up sandbox container "a1" network for pod "p": networkPlugin cni failed to teardown pod "p_ns" network: ';
  const setUp = 'failed to set up sandbox container "a1" network for pod "p": networkPlugin cni failed to set up pod "p_ns" network: ';

  test("has no cause in that cleaning up failed too", () => {
    expect(explain(`[${setUp}netplugin failed with no error message, ${cleanUp}netplugin failed with no error message]`).cause).toBe("unknown");
  });

  test("has the cause that only cleaning up tells", () => {
    expect(explain(`[${setUp}netplugin failed with no error message, ${cleanUp}failed to find plugin "portmap" in path [/opt/cni/bin]]`).cause).toBe("plugin-binary-missing");
  });
});

test("an address that a terminal broke across lines is read whole", () => {
  expect(explain("Error while dialing: dial tcp 12\n7.0.0.1:50051: connect: connection refused").cause).toBe("daemon-down");
});
