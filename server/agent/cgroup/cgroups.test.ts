import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_CGROUPS, type ContainerCgroup, type LaterParts } from "../../domain/agent-readings";
import { hostFs } from "../host-fs";
import { podNames, type PodNamesLook } from "../pod-names";
import { recordedCgroups, recordedSandboxes } from "../testing/recorded-node";
import { cgroupReader } from "./cgroups";

const UID = "0b5c9f0e-0000-4000-8000-000000000001";
const ID = "c1".repeat(32);
const PAUSE = "aa".repeat(32);

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-cgroup-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Files below a folder that is made for them. */
async function files(dir: string, texts: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(path.join(root, dir), { recursive: true });
  for (const [name, text] of Object.entries(texts)) await writeFile(path.join(root, dir, name), text);
}
const names = (pods: readonly { readonly name: string; readonly uid: string; readonly namespace?: string }[] = [{ name: "kube-multus-ds-nmfkg", uid: UID }], containers: Readonly<Record<string, string>> = { [ID]: "kube-multus" }): PodNamesLook => ({
  looked: true,
  pods: pods.map(({ namespace = "kube-system", ...pod }) => ({ namespace, ...pod })),
  pod: () => undefined,
  container: (id) => (containers[id] === undefined ? undefined : { name: containers[id], createdMs: 1_780_000_000_000 }),
});
type Part = NonNullable<LaterParts["cgroups"]>;
const look = (of: PodNamesLook = names(), cniDaemonSets: readonly string[] = []): Promise<Part> => cgroupReader(root, () => 1_780_000_100_000).look(of, cniDaemonSets);
const items = async (of?: PodNamesLook, cniDaemonSets?: readonly string[]): Promise<readonly ContainerCgroup[]> => {
  const part = await look(of, cniDaemonSets);
  if (!part.looked) throw new Error(part.reason);
  return part.items;
};

const V2 = {
  "cpu.stat": "usage_usec 62500000\nuser_usec 50000000\nsystem_usec 12500000\nnr_periods 6217\nnr_throttled 6195\nthrottled_usec 990000000\n",
  "cpu.max": "10000 100000\n",
  "cpu.pressure": "some avg10=99.00 avg60=98.00 avg300=97.00 total=580250000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n",
  "memory.current": "41000000\n",
  "memory.max": "52428800\n",
  "memory.peak": "52000000\n",
  "memory.events": "low 0\nhigh 0\nmax 17\noom 3\noom_kill 2\noom_group_kill 0\n",
  "memory.stat": "anon 30000000\ninactive_file 1000000\nactive_file 5\n",
};

describe("version 2", () => {
  const POD = "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0b5c9f0e_0000_4000_8000_000000000001.slice";
  beforeEach(() => files("", { "cgroup.controllers": "cpu memory\n" }));

  test("systemd's slices: every figure of the container, and whether the pod itself has a limit", async () => {
    await files(POD, { "memory.max": "max\n" });
    await files(`${POD}/cri-containerd-${ID}.scope`, V2);
    await files(`${POD}/cri-containerd-${PAUSE}.scope`, V2);
    expect(await look()).toEqual({
      looked: true,
      readMs: 1_780_000_100_000,
      items: [
        {
          namespace: "kube-system", pod: "kube-multus-ds-nmfkg", podUid: UID, container: "kube-multus", containerId: ID, startedMs: 1_780_000_000_000, cni: "multus", cgroupVersion: 2,
          cpuQuotaCores: 0.1, cpuPeriods: 6_217, cpuThrottledPeriods: 6_195, cpuUsageSeconds: 62.5, cpuPressureSeconds: 580.25,
          memoryBytes: 41_000_000, memoryWorkingSetBytes: 40_000_000, memoryLimitBytes: 52_428_800, memoryPeakBytes: 52_000_000, oomEvents: 3, oomKills: 2, podMemoryLimited: false,
        },
      ],
    });
  });

  test("without limits there is no quota, no period and no limit, though counters of an earlier quota are left", async () => {
    await files(POD, { "memory.max": "209715200\n" });
    await files(`${POD}/crio-${ID}.scope`, { ...V2, "cpu.max": "max 100000\n", "memory.max": "max\n" });
    await files(`${POD}/crio-conmon-${ID}.scope`, V2);
    const [one, ...more] = await items();
    expect(more).toEqual([]);
    expect(one).toMatchObject({ cpuUsageSeconds: 62.5, cpuPressureSeconds: 580.25, memoryBytes: 41_000_000, podMemoryLimited: true });
    for (const absent of ["cpuQuotaCores", "cpuPeriods", "cpuThrottledPeriods", "memoryLimitBytes"]) expect(one).not.toHaveProperty(absent);
  });

  test("an older kernel has no peak and no pressure, and the rest is told", async () => {
    const { "memory.peak": _, "cpu.pressure": __, ...older } = V2;
    await files(`${POD}/cri-containerd-${ID}.scope`, older);
    const [one] = await items();
    expect(one).toMatchObject({ cpuPeriods: 6_217, oomKills: 2 });
    for (const absent of ["memoryPeakBytes", "cpuPressureSeconds", "podMemoryLimited"]) expect(one).not.toHaveProperty(absent);
  });

  test.each([
    ["cgroupfs, burstable", `kubepods/burstable/pod${UID}`, ID],
    ["cgroupfs, guaranteed", `kubepods/pod${UID}`, ID],
    ["cgroupfs, best effort, CRI-O", `kubepods/besteffort/pod${UID}`, `crio-${ID}`],
    ["systemd, guaranteed", `kubepods.slice/kubepods-pod${UID.replaceAll("-", "_")}.slice`, `cri-containerd-${ID}.scope`],
    ["kind: a root of the kubelet's own", `kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod${UID.replaceAll("-", "_")}.slice`, `cri-containerd-${ID}.scope`],
    ["a node in a container", `system.slice/docker-1f.scope/kubepods/burstable/pod${UID}`, ID],
  ])("it is found in the layout of %s", async (_name, pod, container) => {
    await files(`${pod}/${container}`, V2);
    expect(await items()).toMatchObject([{ containerId: ID, cpuPeriods: 6_217 }]);
  });

  test("files that hold nonsense tell nothing of themselves, and nothing throws", async () => {
    await files(`${POD}/cri-containerd-${ID}.scope`, { "cpu.stat": "nr_periods x\nnr_throttled -1\nusage_usec 1e99\n", "cpu.max": "", "memory.current": "\xff\xfe", "memory.max": "-5", "memory.events": "oom_kill\n", "memory.stat": "", "cpu.pressure": "some" });
    const [one] = await items();
    expect(Object.keys(one ?? {}).sort()).toEqual(["cgroupVersion", "cni", "container", "containerId", "namespace", "pod", "podUid", "startedMs"]);
  });

  test("a file that cannot be read hides its own pod, not the others; all of them together are a reason", async () => {
    const other = UID.replace(/1$/, "2");
    await mkdir(path.join(root, `${POD}/cri-containerd-${ID}.scope/cpu.stat`), { recursive: true });
    const of = names([{ name: "kube-multus-ds-nmfkg", uid: UID }, { name: "kube-proxy-x2b7q", uid: other }], { [ID]: "kube-multus", [PAUSE]: "kube-proxy" });
    expect(await look(of)).toEqual({ looked: false, reason: "kube-system/kube-multus-ds-nmfkg: EISDIR" });
    await files(`kubepods.slice/kubepods-pod${other.replaceAll("-", "_")}.slice/cri-containerd-${PAUSE}.scope`, V2);
    expect(await items(of)).toMatchObject([{ pod: "kube-proxy-x2b7q" }]);
  });
});

describe("whose cgroups are read", () => {
  beforeEach(() => files("", { "cgroup.controllers": "cpu memory\n" }));
  const uid = (at: number): string => `0b5c9f0e-0000-4000-8000-${String(at).padStart(12, "0")}`;
  const id = (at: number): string => at.toString(16).padStart(64, "0");

  test("those of CNI daemons, of DaemonSets of the system, and of those that the server named; no others", async () => {
    const pods = [
      { name: "web-7bf9d7dfdd-lhgx9", namespace: "default", uid: uid(1) },
      { name: "coredns-674b8bbfcf-9xkzt", uid: uid(2) },
      { name: "kube-proxy-x2b7q", uid: uid(3) },
      { name: "kube-flannel-ds-x2b7q", namespace: "kube-flannel", uid: uid(4) },
      { name: "our-cni-x2b7q", namespace: "net", uid: uid(5) },
      { name: "kube-multus-ds-gone2", uid: uid(6) },
    ];
    for (let at = 1; at <= 5; at += 1) await files(`kubepods/pod${uid(at)}/${id(at)}`, V2);
    const of = names(pods, Object.fromEntries([1, 2, 3, 4, 5].map((at) => [id(at), "main"])));
    expect((await items(of, ["net/our-cni"])).map(({ pod, cni }) => `${pod} ${cni ?? "-"}`)).toEqual(["kube-flannel-ds-x2b7q flannel", "our-cni-x2b7q our-cni", "kube-proxy-x2b7q -"]);
  });

  test("at most the bound, CNI daemons first", async () => {
    const ending = (at: number): string => [0, 1, 2, 3, 4].map((place) => "bcdfghjklm"[Math.floor(at / 10 ** place) % 10]).join("");
    const others = Array.from({ length: MAX_CGROUPS + 5 }, (_, at) => ({ name: `agent-${ending(at)}`, uid: uid(at) }));
    const multus = uid(9_999);
    const pods = [...others, { name: "kube-multus-ds-nmfkg", uid: multus }];
    for (const [at, pod] of pods.entries()) await files(`kubepods/pod${pod.uid}/${id(at)}`, V2);
    const of = names(pods, Object.fromEntries(pods.map((_, at) => [id(at), "main"])));
    expect(await look(of)).toMatchObject({ looked: true, truncated: true });
    const found = await items(of);
    expect(found).toHaveLength(MAX_CGROUPS);
    expect(found[0]).toMatchObject({ cni: "multus", podUid: multus });
  });

  test("a pod that came after the first look is found in the next", async () => {
    const reader = cgroupReader(root, () => 1);
    await mkdir(path.join(root, "kubepods"));
    expect(await reader.look(names(), [])).toMatchObject({ looked: true, items: [] });
    await files(`kubepods/burstable/pod${UID}/${ID}`, V2);
    expect(await reader.look(names(), [])).toMatchObject({ looked: true, items: [{ podUid: UID }] });
    await rm(path.join(root, "kubepods"), { recursive: true });
    expect(await reader.look(names(), [])).toMatchObject({ looked: true, items: [] });
  });

  test("without names, or without cgroups of pods, nothing is told, and why", async () => {
    expect(await look({ looked: false, reason: "no runtime's socket" })).toEqual({ looked: false, reason: "no runtime's socket" });
    expect(await look()).toEqual({ looked: false, reason: `no cgroups of pods below ${root}` });
  });
});

describe("recorded files of version 1", () => {
  const POD = `kubepods/burstable/pod${UID}`;
  async function recorded(failure: string, moment = ""): Promise<ContainerCgroup | undefined> {
    for (const [title, text] of await recordedCgroups(failure, moment)) {
      const [of, file] = title.split(" ");
      if (file === undefined || !/^(?:cpu|memory)\./.test(file)) continue;
      await files(`${file.split(".")[0] ?? ""}/${POD}${of === "container" ? `/${ID}` : ""}`, { [file]: text });
    }
    return (await items())[0];
  }

  test("healthy: the daemon has a quota and a limit, its pod has none, since its installer has no limit", async () => {
    const one = await recorded("healthy");
    expect(one).toMatchObject({ cgroupVersion: 1, cpuQuotaCores: 0.1, cpuPeriods: 33, cpuThrottledPeriods: 17, memoryBytes: 9_039_872, memoryLimitBytes: 52_428_800, memoryPeakBytes: 14_254_080, oomKills: 0, podMemoryLimited: false });
    for (const absent of ["cpuPressureSeconds", "oomEvents", "cpuUsageSeconds"]) expect(one, "none of it was recorded, or exists there").not.toHaveProperty(absent);
  });

  test("storm: throttled in nearly every period before the limit was lifted, and not after", async () => {
    const before = await recorded("retry-storm", "before-lift");
    expect(before?.cpuQuotaCores).toBe(0.03);
    expect((before?.cpuThrottledPeriods ?? 0) / (before?.cpuPeriods ?? 1)).toBeGreaterThan(0.99);
    const lifted = await recorded("retry-storm", "lifted");
    expect(lifted).toMatchObject({ cpuQuotaCores: 2 });
    expect((lifted?.cpuThrottledPeriods ?? 0) / (lifted?.cpuPeriods ?? 1)).toBeLessThan(0.5);
  });

  test("OOM loop: no quota, hence no periods; the peak is near the limit, and a new container's counters are at zero", async () => {
    const one = await recorded("oom-loop");
    expect(one).not.toHaveProperty("cpuPeriods");
    expect(one).toMatchObject({ memoryLimitBytes: 41_943_040, memoryPeakBytes: 41_103_360, oomKills: 0 });
  });

  test("a container that is away for the moment has no reading", async () => {
    await files(`cpu/${POD}`, {});
    await files(`memory/${POD}`, {});
    expect(await items()).toEqual([]);
  });

  test("its controllers may be mounted together, and the pods may lie elsewhere in each", async () => {
    await files(`cpu,cpuacct/kubepods/pod${UID}/${ID}`, { "cpu.stat": "nr_periods 5\nnr_throttled 1\n", "cpu.cfs_quota_us": "50000\n", "cpu.cfs_period_us": "100000\n", "cpuacct.usage": "2500000000\n" });
    await files(`memory/of-a-sandbox/kubepods/pod${UID}/${ID}`, { "memory.usage_in_bytes": "7\n", "memory.limit_in_bytes": "9223372036854771712\n" });
    expect(await items()).toMatchObject([{ cpuQuotaCores: 0.5, cpuPeriods: 5, cpuUsageSeconds: 2.5, memoryBytes: 7 }]);
  });

  test("recorded sandboxes give the daemon's pod its name, and the load's pods are none of the system", async () => {
    const sandboxes = await recordedSandboxes("retry-storm", "lifted");
    const daemon = sandboxes.find(({ ready, name }) => ready && name.startsWith("kube-multus-ds-"));
    const of = await podNames(hostFs(root), { sandboxes: { looked: true, items: sandboxes, tookSeconds: 0, truncated: false }, containers: { looked: true, items: [{ id: ID, sandboxId: daemon?.id ?? "", name: "kube-multus" }] } });
    await files(`cpu/kubepods/burstable/pod${daemon?.uid ?? ""}/${ID}`, { "cpu.stat": "nr_periods 5\nnr_throttled 1\n" });
    await files("memory/kubepods", {});
    expect(await items(of)).toMatchObject([{ pod: daemon?.name, podUid: daemon?.uid, container: "kube-multus", cni: "multus" }]);
  });
});

const MOUNTED = "/sys/fs/cgroup";
const OWN = `sandglass-test-${String(process.pid)}`;
const CONTROLLERS = ["cpu", "cpuacct", "memory", "unified"];

/** Why this machine has no cgroups of version 1 that a test may make; undefined where it has. */
function whyNotReal(): string | undefined {
  try {
    for (const controller of CONTROLLERS.slice(0, 3)) {
      mkdirSync(`${MOUNTED}/${controller}/${OWN}`);
      rmdirSync(`${MOUNTED}/${controller}/${OWN}`);
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
const notReal = whyNotReal();

describe.skipIf(notReal !== undefined)(`real cgroups of version 1${notReal === undefined ? "" : ` (${notReal})`}`, () => {
  const POD = `kubepods/burstable/pod${UID}`;
  const made: string[] = [];
  const children: ChildProcess[] = [];
  const set = (controller: string, file: string, value: string): void => writeFileSync(`${MOUNTED}/${controller}/${OWN}/${POD}/${ID}/${file}`, value);

  beforeEach(async () => {
    for (const controller of CONTROLLERS) {
      if (controller === "unified" && !hasUnified()) continue;
      for (const at of ["", "/kubepods", "/kubepods/burstable", `/${POD}`, `/${POD}/${ID}`]) {
        mkdirSync(`${MOUNTED}/${controller}/${OWN}${at}`);
        made.push(`${MOUNTED}/${controller}/${OWN}${at}`);
      }
      await symlink(`${MOUNTED}/${controller}/${OWN}`, path.join(root, controller));
    }
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => {
      if (child.exitCode !== null || child.signalCode !== null) return undefined;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      return ended;
    }));
    for (const dir of made.splice(0).reverse()) await expect.poll(() => removed(dir), { timeout: 10_000 }).toBe(true);
  });
  const hasUnified = (): boolean => {
    try {
      mkdirSync(`${MOUNTED}/unified/${OWN}-try`);
      rmdirSync(`${MOUNTED}/unified/${OWN}-try`);
      return true;
    } catch {
      return false;
    }
  };
  /** A cgroup is busy for a moment after its last process has ended. */
  const removed = (dir: string): boolean => {
    try {
      rmdirSync(dir);
      return true;
    } catch {
      return false;
    }
  };
  async function inside(script: string): Promise<ChildProcess> {
    const child = spawn("bash", ["-c", `read -r go; ${script}`], { stdio: ["pipe", "ignore", "ignore"] });
    children.push(child);
    for (const controller of CONTROLLERS) if (made.some((dir) => dir.startsWith(`${MOUNTED}/${controller}/`))) set(controller, "cgroup.procs", String(child.pid));
    child.stdin?.end("go\n");
    return child;
  }
  const one = async (): Promise<ContainerCgroup | undefined> => (await items())[0];

  test("a process that wants more than its quota is throttled, and waits for a CPU", async () => {
    set("cpu", "cpu.cfs_quota_us", "2000");
    await inside("while :; do :; done");
    await expect.poll(async () => (await one())?.cpuThrottledPeriods ?? 0, { timeout: 20_000 }).toBeGreaterThan(5);
    const read = await one();
    expect(read).toMatchObject({ cgroupVersion: 1, cpuQuotaCores: 0.02, podMemoryLimited: false });
    expect(read?.cpuThrottledPeriods).toBeLessThanOrEqual(read?.cpuPeriods ?? 0);
    expect(read?.cpuUsageSeconds).toBeGreaterThan(0);
    expect(read?.memoryBytes).toBeGreaterThan(0);
    if (hasUnified()) expect(read?.cpuPressureSeconds, "a hybrid node tells pressure beside version 1").toBeGreaterThan(0);
  });

  test("a process that wants more than its limit is killed, and that is counted", async () => {
    set("memory", "memory.limit_in_bytes", String(16 * 1024 * 1024));
    const child = await inside("head -c 200M /dev/zero | tail");
    await new Promise((resolve) => child.once("exit", resolve));
    const read = await one();
    expect(read?.oomKills).toBeGreaterThanOrEqual(1);
    expect(read).toMatchObject({ memoryLimitBytes: 16 * 1024 * 1024 });
    expect(read?.memoryPeakBytes).toBeGreaterThan(12 * 1024 * 1024);
  });
});

describe("names of pods and containers", () => {
  const sandbox = { id: PAUSE, namespace: "kube-system", name: "kube-multus-ds-nmfkg", uid: UID, attempt: 0, ready: true };
  const blind = { looked: false, reason: "no runtime's socket" } as const;

  test("come from the runtime's lists, of ready sandboxes alone", async () => {
    const of = await podNames(hostFs(root), { sandboxes: { looked: true, items: [sandbox, { ...sandbox, id: "old", uid: "gone", ready: false }], tookSeconds: 0, truncated: false }, containers: { looked: true, items: [{ id: ID, sandboxId: PAUSE, name: "kube-multus", createdMs: 5 }] } });
    if (!of.looked) throw new Error(of.reason);
    expect(of.pods).toEqual([{ namespace: "kube-system", name: "kube-multus-ds-nmfkg", uid: UID }]);
    expect(of.container(ID)).toEqual({ name: "kube-multus", podUid: UID, createdMs: 5 });
    expect(of.container(PAUSE)).toBeUndefined();
    expect(of.pod("gone")).toBeUndefined();
  });

  test("without the runtime come from the kubelet's folders of logs", async () => {
    await mkdir(path.join(root, `var/log/pods/kube-system_kube-multus-ds-nmfkg_${UID}`), { recursive: true });
    await mkdir(path.join(root, "var/log/pods/what else"));
    await mkdir(path.join(root, "var/log/containers"));
    await symlink("gone", path.join(root, `var/log/containers/kube-multus-ds-nmfkg_kube-system_kube-multus-${ID}.log`));
    const of = await podNames(hostFs(root), { sandboxes: blind, containers: blind });
    if (!of.looked) throw new Error(of.reason);
    expect(of.pods).toEqual([{ namespace: "kube-system", name: "kube-multus-ds-nmfkg", uid: UID }]);
    expect(of.container(ID)).toEqual({ name: "kube-multus" });
  });

  test("are none where there is neither, and that is said", async () => {
    expect(await podNames(hostFs(root), { sandboxes: blind, containers: blind })).toEqual({ looked: false, reason: expect.stringContaining("no runtime's socket") as string });
  });
});
