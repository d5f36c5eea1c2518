import { describe, expect, it } from "vitest";
import { daemonSet, node, objectName } from "../testing/builders";
import { hasBug, KNOWN_BUGS, versionIn, versionOfImage } from "./known-bugs";
import { pluginBug } from "./plugin-bug";
import { causeCases } from "./testing/cases";
import { causeInput, errorGroup, type InputParts } from "./testing/input";

const CILIUM = 'plugin type="cilium-cni" failed (add): unable to create endpoint: [PUT /endpoint/{id}][429] putEndpointIdTooManyRequests';
const LOOPBACK = 'plugin type="loopback" failed (add): incompatible CNI versions; config is "1.0.0", plugin supports ["0.1.0" "0.2.0" "0.3.0" "0.3.1" "0.4.0"]';
const cilium = (tag: string): Pick<InputParts, "daemonSets"> => ({ daemonSets: [daemonSet({ uid: "c", name: objectName("cilium"), matchLabels: { "k8s-app": "cilium" }, images: ["docker.io/library/busybox:1.36.1", `quay.io/cilium/cilium:${tag}`] })] });
const runtime = (version: string): Pick<InputParts, "node"> => ({ node: node({ versions: { runtime: version } }) });

causeCases(pluginBug, {
  fires: [
    { name: "where pods show the symptom and the CNI's version has the defect", certainty: "suspected", says: ["cilium 1.17.1", "1.18.0"], input: causeInput({ ...cilium("v1.17.1@sha256:0123456789abcdef"), errors: [errorGroup(CILIUM)] }) },
    { name: "where the runtime's version has it", certainty: "suspected", says: ["containerd 1.6.3", "1.6.4"], input: causeInput({ ...runtime("containerd://1.6.3"), errors: [errorGroup(LOOPBACK)] }) },
  ],
  almost: [
    { name: "where the version does not have it any more", input: causeInput({ ...cilium("v1.18.0"), errors: [errorGroup(CILIUM)] }) },
    { name: "where the version is older than the defect", input: causeInput({ ...cilium("v1.15.14"), errors: [errorGroup(CILIUM)] }) },
    { name: "where the version has it and no pod shows it", input: causeInput(cilium("v1.17.1")) },
    { name: "where the program is not in the cluster at all", input: causeInput({ ...runtime("cri-o://1.30.1"), errors: [errorGroup(CILIUM)] }) },
  ],
  missing: [
    { name: "cannot tell where the image has no version", state: "unknown", says: "The version of cilium cannot be told", input: causeInput({ ...cilium("latest"), errors: [errorGroup(CILIUM)] }) },
    { name: "cannot tell where DaemonSets may not be seen", state: "unknown", says: "DaemonSets cannot be seen: forbidden", input: causeInput({ errors: [errorGroup(CILIUM)], kind: (kind) => (kind === "daemonsets" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
    { name: "cannot tell where events may not be seen", state: "unknown", says: "Events cannot be seen", input: causeInput({ kind: (kind) => (kind === "events" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
  ],
});

describe("a version", () => {
  it.each([
    ["ghcr.io/k8snetworkplumbingwg/multus-cni:v4.0.1-thick", [4, 0, 1]],
    ["registry:5000/cilium/cilium:1.17.2", [1, 17, 2]],
    ["quay.io/cilium/cilium:v1.17.1@sha256:0123456789abcdef", [1, 17, 1]],
    ["registry:5000/cilium/cilium", undefined],
    ["quay.io/cilium/cilium@sha256:0123456789abcdef", undefined],
    ["cilium:latest", undefined],
    ["cilium:1.17", undefined],
    [`cilium:${"1".repeat(100_000)}.1.1`, undefined],
  ])("of the image %s is %j", (image, version) => {
    expect(versionOfImage(image)).toEqual(version);
  });

  it("of a distribution's package is read by its first three numbers", () => {
    expect(versionIn("1.6.20~ds1")).toEqual([1, 6, 20]);
  });

  it("has a defect from its first version on and before the one that mends it", () => {
    for (const bug of KNOWN_BUGS) {
      expect([hasBug(bug, bug.from), hasBug(bug, bug.mendedIn)], bug.source).toEqual([true, false]);
      expect(bug.symptoms.filter((symptom) => symptom !== symptom.toLowerCase())).toEqual([]);
    }
  });
});
