import { describe, expect, it } from "vitest";
import { parseNodeName } from "../../domain/ids";
import { certificateNames, kubeletOrigin, type NodeTarget } from "./address";
import { chooseMode } from "./mode";

const name = parseNodeName("node-1");
if (name === undefined) throw new Error("node-1 is a node name");
const node = (addresses: Record<string, string>, kubeletPort?: number): NodeTarget => ({
  name,
  addresses: Object.entries(addresses).map(([type, address]) => ({ type, address })),
  ...(kubeletPort === undefined ? {} : { kubeletPort }),
});
const none = new Map<string, string>();

describe("a kubelet's address", () => {
  it.each<[string, NodeTarget, string | undefined]>([
    ["is the InternalIP", node({ ExternalIP: "203.0.113.1", Hostname: "host-1", InternalIP: "10.0.0.1" }), "https://10.0.0.1:10250"],
    ["has the port that the node tells", node({ InternalIP: "10.0.0.1" }, 10_255), "https://10.0.0.1:10255"],
    ["has brackets around IPv6", node({ InternalIP: "fd00::1" }), "https://[fd00::1]:10250"],
    ["is the Hostname where there is no InternalIP", node({ ExternalIP: "203.0.113.1", Hostname: "host-1" }), "https://host-1:10250"],
    ["is never the ExternalIP", node({ ExternalIP: "203.0.113.1" }), undefined],
    ["is none where the address is empty", node({ InternalIP: "" }), undefined],
    ["is none where the node tells none", node({}), undefined],
  ])("%s", (_what, target, origin) => {
    expect(kubeletOrigin(target, none)).toBe(origin);
  });

  it("is what --kubelet-address says, for that node alone", () => {
    const overrides = new Map([["node-1", "https://127.0.0.1:9"]]);
    expect(kubeletOrigin(node({ InternalIP: "10.0.0.1" }), overrides)).toBe("https://127.0.0.1:9");
    expect(kubeletOrigin(node({ InternalIP: "10.0.0.1" }), new Map([["node-2", "https://127.0.0.1:9"]]))).toBe("https://10.0.0.1:10250");
  });
});

it("the names in a kubelet's certificate may be its node's name and its own inner addresses, not its outer ones", () => {
  const target = node({ InternalIP: "10.0.0.1", Hostname: "host-1", InternalDNS: "ip-10-0-0-1.internal", ExternalIP: "203.0.113.1", ExternalDNS: "outside.example" });
  expect(certificateNames(target)).toEqual(["node-1", "10.0.0.1", "host-1", "ip-10-0-0-1.internal"]);
});

describe("the way to kubelets", () => {
  it.each([
    ["auto", true, true, "direct"],
    ["auto", true, undefined, "direct"],
    ["auto", false, true, "proxy"],
    ["auto", false, false, "direct"],
    ["auto", false, undefined, "direct"],
    ["direct", false, true, "direct"],
    ["proxy", true, false, "proxy"],
  ] as const)("with --kubelet=%s, in the cluster %s, nodes/proxy %s, is %s, with the reason", (setting, inCluster, canProxy, mode) => {
    const chosen = chooseMode({ setting, inCluster, canProxy });
    expect(chosen.mode).toBe(mode);
    expect(chosen.why).not.toBe("");
  });
});
