import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { cniDaemonOf, isAsked } from "../../domain/cni-daemons";
import { isInterestingDaemonSet, makeProjector } from "./project";

/** The DaemonSets of the CNIs' own manifests: each must be found by the table, with the container that serves the plugin. */
const MANIFESTS = JSON.parse(gunzipSync(readFileSync(path.join(import.meta.dirname, "recorded/objects/daemonsets.json.gz"))).toString("utf8")) as Readonly<Record<string, readonly Record<string, unknown>[]>>;

const EXPECTED: Readonly<Record<string, readonly [cni: string, container: string] | undefined>> = {
  "antrea-master.yml": ["antrea", "antrea-agent"],
  "aws-k8s-cni-master.yaml": ["aws-vpc-cni", "aws-node"],
  "azure-cns.yaml": ["azure-cns", "cns-container"],
  "calico-v3.32.1.yaml": ["calico", "calico-node"],
  "canal-v3.32.1.yaml": ["canal", "calico-node"],
  "dynamic-networks-controller.yaml": undefined,
  "dynamic-networks-controller-crio.yaml": undefined,
  "kube-flannel-v0.28.9.yml": ["flannel", "kube-flannel"],
  "multus-daemonset-crio-v4.3.0.yml": ["multus", "kube-multus"],
  "multus-daemonset-thick-master.yml": ["multus", "kube-multus"],
  "multus-daemonset-thick-v4.2.2.yml": ["multus", "kube-multus"],
  "multus-daemonset-thick-v4.2.4.yml": ["multus", "kube-multus"],
  "multus-daemonset-thick-v4.3.0.yml": ["multus", "kube-multus"],
  "multus-daemonset-thin-v4.2.2.yml": ["multus", "kube-multus"],
  "multus-daemonset-thin-v4.2.4.yml": ["multus", "kube-multus"],
  "multus-daemonset-thin-v4.3.0.yml": ["multus", "kube-multus"],
};

function daemonSetOf(manifest: string, rename?: string) {
  const [raw] = MANIFESTS[manifest] ?? [];
  // The API server gives every object a uid and a namespace; a manifest need not.
  const metadata = { namespace: "default", ...(raw?.["metadata"] as Record<string, unknown>), uid: manifest, ...(rename === undefined ? {} : { name: rename }) };
  return makeProjector({ isDaemonPod: () => false }).daemonSet({ ...raw, metadata });
}

describe("DaemonSets of real manifests", () => {
  it("are all in the table of what is expected", () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(MANIFESTS).sort());
  });

  for (const [manifest, expected] of Object.entries(EXPECTED)) {
    it(`${manifest} is ${expected === undefined ? "no CNI daemon" : `the daemon of ${expected[0]}, served by ${expected[1]}`}`, () => {
      const daemonSet = daemonSetOf(manifest);
      if (daemonSet === undefined) throw new Error("the manifest holds a DaemonSet");
      const daemon = cniDaemonOf(daemonSet, []);
      expect(daemon === undefined ? undefined : [daemon.cni, daemon.container]).toEqual(expected);
      if (daemon !== undefined) {
        expect(daemon.by).toBe("table");
        expect(isInterestingDaemonSet(daemonSet), "the API source keeps it").toBe(true);
      }
    });
  }

  it.each(Object.keys(EXPECTED).filter((manifest) => manifest.startsWith("multus-")))("%s: calls need the daemon where it is the thick one", (manifest) => {
    const daemonSet = daemonSetOf(manifest);
    const daemon = daemonSet === undefined ? undefined : cniDaemonOf(daemonSet, []);
    expect(daemon === undefined ? undefined : isAsked(daemon)).toBe(manifest.includes("thick"));
  });

  it("under another name are found by their labels", () => {
    const daemonSet = daemonSetOf("multus-daemonset-thick-v4.3.0.yml", "acme-networks");
    expect(daemonSet === undefined ? undefined : cniDaemonOf(daemonSet, [])).toMatchObject({ cni: "multus", by: "table" });
  });
});
