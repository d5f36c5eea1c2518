import { expect, test } from "vitest";
import { cniOf, daemonSetOf, isSystemDaemon } from "./whose-pod";

test.each([
  ["kube-multus-ds-nmfkg", "kube-multus-ds"],
  ["kube-proxy-x2b7q", "kube-proxy"],
  ["node-local-dns-4kzzx", "node-local-dns"],
  ["load-7bf9d7dfdd-lhgx9", undefined],
  ["coredns-674b8bbfcf-9xkzt", undefined],
  ["etcd-node-1", undefined],
  ["web-0", undefined],
  ["", undefined],
])("%s is of the DaemonSet %s", (pod, daemonSet) => {
  expect(daemonSetOf(pod)).toBe(daemonSet);
});

test("a CNI's pod is known by the table, in any namespace, or by the server's word in its own", () => {
  expect(cniOf("cozy-multus", "cozy-multus-7c2xz", [])).toBe("multus");
  expect(cniOf("kube-flannel", "kube-flannel-ds-7c2xz", [])).toBe("flannel");
  expect(cniOf("net", "our-cni-7c2xz", ["net/our-cni"])).toBe("our-cni");
  expect(cniOf("other", "our-cni-7c2xz", ["net/our-cni"])).toBeUndefined();
  expect(cniOf("default", "cilium-operator-6d4b75cb6d-7c2xz", [])).toBeUndefined();
});

test("a system daemon is a DaemonSet's pod in kube-system", () => {
  expect(isSystemDaemon("kube-system", "kube-proxy-x2b7q")).toBe(true);
  expect(isSystemDaemon("default", "kube-proxy-x2b7q")).toBe(false);
  expect(isSystemDaemon("kube-system", "coredns-674b8bbfcf-9xkzt")).toBe(false);
});
