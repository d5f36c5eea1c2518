import { copyFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hostFs } from "../host-fs";
import { procScanner } from "../proc/scan";
import { makeProcess, makeRecordedNode } from "../testing/recorded-node";
import { kubeletFlags } from "./command-line";
import { kubeletReader } from "./kubelet";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-kubelet-"));
  await makeRecordedNode(root, "healthy");
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}
async function kubelet(...words: string[]): Promise<void> {
  await makeProcess(root, { pid: 700, exe: "/usr/bin/kubelet" });
  await put("proc/700/cmdline", ["kubelet", ...words, ""].join("\0"));
}
const look = async () => kubeletReader(hostFs(root), path.join(root, "proc")).look(await procScanner(path.join(root, "proc")).scan());
const told = (seconds: number, from: string) => ({ looked: true, reading: { runtimeRequestTimeoutSeconds: seconds, timeoutFrom: from } });
const YAML = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nruntimeRequestTimeout: 15m0s\nauthentication:\n  x509:\n    clientCAFile: /pki/ca.crt\n";

describe("the kubelet's timeout", () => {
  test("comes from the command line before the drop-ins, from those in their order before the file", async () => {
    await put("var/lib/kubelet/config.yaml", YAML);
    await put("etc/kubelet.d/10-a.conf", JSON.stringify({ kind: "KubeletConfiguration", runtimeRequestTimeout: "3m" }));
    await put("etc/kubelet.d/20-b.conf", "runtimeRequestTimeout: 90s\n");
    await put("etc/kubelet.d/30-none.conf", "kind: KubeletConfiguration\n");
    await put("etc/kubelet.d/99-other.yaml", "runtimeRequestTimeout: 1s\n");
    const flags = ["--config=/var/lib/kubelet/config.yaml", "--config-dir", "/etc/kubelet.d"];
    await kubelet(...flags, "--runtime-request-timeout=20s");
    expect(await look()).toEqual(told(20, "--runtime-request-timeout"));
    await rm(path.join(root, "proc/700"), { recursive: true });
    await kubelet(...flags);
    expect(await look()).toEqual(told(90, "/etc/kubelet.d/20-b.conf"));
    await rm(path.join(root, "etc/kubelet.d"), { recursive: true });
    expect(await look()).toEqual(told(900, "/var/lib/kubelet/config.yaml"));
  });

  test("is found through the kubelet's own root where its folder is not mounted for the agent", async () => {
    await kubelet("--config=/etc/kubernetes/kubelet.yaml");
    await put("proc/700/root/etc/kubernetes/kubelet.yaml", YAML);
    expect(await look()).toEqual(told(900, "/etc/kubernetes/kubelet.yaml"));
  });

  test("is the kubelet's default where nothing sets it, or sets it to zero", async () => {
    await put("var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\nruntimeRequestTimeout: 0s\n");
    await kubelet("--config", "/var/lib/kubelet/config.yaml");
    expect(await look()).toEqual(told(120, "default"));
    await put("var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\n");
    expect(await look()).toEqual(told(120, "default"));
    await rm(path.join(root, "proc/700"), { recursive: true });
    await kubelet();
    expect(await look()).toEqual(told(120, "default"));
  });

  test("is not known where the file that the command line names is not there, is broken, too large, or no duration", async () => {
    await kubelet("--config=/etc/kubelet.yaml");
    expect(await look()).toEqual({ looked: false, reason: "nothing at /etc/kubelet.yaml, which the kubelet's command line names" });
    await put("etc/kubelet.yaml", "a: [\ns3cr3t");
    expect(await look()).toEqual({ looked: false, reason: "/etc/kubelet.yaml is neither YAML nor JSON" });
    await put("etc/kubelet.yaml", "runtimeRequestTimeout: soon\n");
    expect(await look()).toEqual({ looked: false, reason: "/etc/kubelet.yaml: the timeout is no duration" });
    await truncate(path.join(root, "etc/kubelet.yaml"), 10 * 1024 * 1024);
    expect(await look()).toEqual({ looked: false, reason: expect.stringContaining("10485760 bytes") as string });
    await rm(path.join(root, "proc/700"), { recursive: true });
    await kubelet("--config=kubelet.yaml");
    expect(await look()).toMatchObject({ looked: false });
  });

  test("without a process of that name only a file that sets it says something", async () => {
    expect(await look()).toMatchObject({ looked: false, reason: expect.stringContaining("no process named kubelet") as string });
    await put("var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\n");
    expect(await look()).toMatchObject({ looked: false });
    await put("var/lib/kubelet/config.yaml", YAML);
    expect(await look()).toEqual(told(900, "/var/lib/kubelet/config.yaml"));
  });
});

describe("a kubelet inside another program", () => {
  test("is MicroK8s' kubelite, whose file of flags names the kubelet's own", async () => {
    await makeProcess(root, { pid: 701, exe: "/snap/microk8s/9072/kubelite" });
    await put("proc/701/cmdline", ["/snap/microk8s/9072/kubelite", "--kubelet-args-file=/var/snap/microk8s/9072/args/kubelet", "--start-control-plane=true", ""].join("\0"));
    expect(await look()).toEqual({ looked: false, reason: "nothing at /var/snap/microk8s/9072/args/kubelet, which kubelite's command line names" });
    await put("var/snap/microk8s/9072/args/kubelet", "# --runtime-request-timeout=1s\n--kubeconfig=${SNAP_DATA}/credentials/kubelet.config\n--config=${SNAP_DATA}/kubelet.yaml\n");
    await put("var/snap/microk8s/9072/kubelet.yaml", "runtimeRequestTimeout: 4m\n");
    expect(await look()).toEqual(told(240, "/var/snap/microk8s/9072/kubelet.yaml"));
    await put("var/snap/microk8s/9072/args/kubelet", '--runtime-request-timeout="6m"\n');
    expect(await look()).toEqual(told(360, "--runtime-request-timeout"));
    await put("var/snap/microk8s/9072/args/kubelet", "--v=2\n");
    expect(await look()).toEqual(told(120, "default"));
  });

  test("is k3s, of which only what a file sets is known, since it hides its command line", async () => {
    await makeProcess(root, { pid: 702, exe: "/var/lib/rancher/k3s/data/abc/bin/k3s" });
    await put("proc/702/cmdline", "/usr/local/bin/k3s server\0");
    expect(await look()).toEqual({ looked: false, reason: "k3s hides its command line, and none of its files sets the timeout" });
    const dropIns = "var/lib/rancher/k3s/agent/etc/kubelet.conf.d";
    await put(`${dropIns}/00-k3s-defaults.conf`, "kind: KubeletConfiguration\nruntimeRequestTimeout: 0s\n");
    expect(await look()).toMatchObject({ looked: false });
    await put(`${dropIns}/50-own.conf`, "runtimeRequestTimeout: 3m\n");
    expect(await look()).toEqual(told(180, `/${dropIns}/50-own.conf`));
    await put("etc/rancher/k3s/config.yaml", "kubelet-arg: runtime-request-timeout=5m\n");
    expect(await look()).toEqual(told(300, "/etc/rancher/k3s/config.yaml"));
    await put("etc/rancher/k3s/config.yaml.d/10-more.yaml", "kubelet-arg+:\n  - v=4\n  - --runtime-request-timeout=7m\n");
    expect(await look()).toEqual(told(420, "/etc/rancher/k3s/config.yaml.d/10-more.yaml"));
    await put("etc/rancher/k3s/config.yaml.d/20-last.yaml", "kubelet-arg: [v=2]\ndata-dir: /data/k3s\n");
    await put("data/k3s/agent/etc/kubelet.conf.d/10.conf", "runtimeRequestTimeout: 8m\n");
    expect(await look()).toEqual(told(480, "/data/k3s/agent/etc/kubelet.conf.d/10.conf"));
    await put("etc/rancher/k3s/config.yaml", "a: [");
    expect(await look()).toEqual({ looked: false, reason: "/etc/rancher/k3s/config.yaml is no YAML" });
  });
});

test("a real process's command line is read", async () => {
  const program = path.join(root, "kubelet");
  copyFileSync("/bin/bash", program);
  const child = spawn(program, ["-c", "read -r line", "kubelet", "--runtime-request-timeout=33s"], { stdio: ["pipe", "ignore", "ignore"] });
  try {
    await new Promise((resolve) => child.once("spawn", resolve));
    const scan = await procScanner("/proc").scan();
    const own = new Map([...scan.processes].filter(([pid]) => pid === child.pid));
    expect(await kubeletReader(hostFs(""), "/proc").look({ ...scan, processes: own })).toEqual(told(33, "--runtime-request-timeout"));
  } finally {
    child.kill("SIGKILL");
  }
});

test("flags are read in both forms, the last of several, and nothing else", () => {
  expect(kubeletFlags("kubelet\0--config\0/a\0-v=4\0--config=/b\0--config-dir=/d\0")).toEqual({ config: "/b", configDir: "/d" });
  expect(kubeletFlags("kubelet\0--constructor=x\0--config\0")).toEqual({});
  expect(kubeletFlags("")).toEqual({});
});

describe("the kubelet's read-only port", () => {
  const port = async () => kubeletReader(hostFs(root), path.join(root, "proc")).readOnlyPort(await procScanner(path.join(root, "proc")).scan());

  test("comes from the command line before the drop-ins, from those before the file; without any file it is open, with one it is off", async () => {
    await put("etc/kubelet.yaml", "kind: KubeletConfiguration\nreadOnlyPort: 10255\n");
    await put("etc/kubelet.d/10-a.conf", "readOnlyPort: 10300\n");
    const restart = async (...flags: string[]) => {
      await rm(path.join(root, "proc/700"), { recursive: true, force: true });
      await kubelet(...flags);
      return port();
    };
    expect(await restart("--config=/etc/kubelet.yaml", "--config-dir=/etc/kubelet.d", "--read-only-port=0")).toBe(0);
    expect(await restart("--config=/etc/kubelet.yaml", "--config-dir=/etc/kubelet.d")).toBe(10_300);
    expect(await restart("--config=/etc/kubelet.yaml")).toBe(10_255);
    await put("etc/kubelet.yaml", YAML);
    expect(await restart("--config=/etc/kubelet.yaml")).toBe(0);
    expect(await restart()).toBe(10_255);
  });

  test("is off in k3s, and not known without a kubelet or its file", async () => {
    await expect(port()).rejects.toThrow("no process named kubelet is seen");
    await kubelet("--config=/etc/away.yaml");
    await expect(port()).rejects.toThrow("nothing at /etc/away.yaml");
    await rm(path.join(root, "proc/700"), { recursive: true });
    await makeProcess(root, { pid: 702, exe: "/var/lib/rancher/k3s/data/abc/bin/k3s" });
    expect(await port()).toBe(0);
  });
});
