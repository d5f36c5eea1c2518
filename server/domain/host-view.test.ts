import { describe, expect, test } from "vitest";
import type { BinaryReading, LaterParts, PluginProcess } from "./agent-readings";
import { hostView } from "./host-view";
import { EVERY_LATER_PART } from "./testing/later-parts";

const binary = (type: string, over: Partial<BinaryReading> = {}): BinaryReading => ({ type, dir: "/opt/cni/bin", wantedBy: [], ...over });
const running = (program: string, over: Partial<PluginProcess> = {}): PluginProcess => ({ pid: 1, program, path: `/opt/cni/bin/${program}`, state: "S", replaced: false, ...over });
const programs = (items: readonly BinaryReading[], processes: readonly PluginProcess[] = []): LaterParts => ({ binaries: { looked: true, items }, processes: { looked: true, items: processes, truncated: false } });

test("a report without these parts, and one whose parts could not be looked at, has no view of the host", () => {
  expect(hostView({})).toBeUndefined();
  expect(hostView({ configFiles: { looked: false, reason: "EACCES" }, binaries: { looked: false, reason: "EACCES" }, mounts: { looked: false, reason: "EACCES" } })).toBeUndefined();
});

test("every part is there as it was told, without digests, pids and times", () => {
  expect(hostView(EVERY_LATER_PART)).toEqual({
    configFiles: [{ name: "00-multus.conf", usable: false, problem: "not JSON: a comma or a bracket was expected at line 3, column 7", pluginTypes: ["multus-shim"] }],
    configLoaded: false,
    configLoadedOther: "cbr0",
    binDirs: ["/opt/cni/bin"],
    binaries: [{ name: "bridge", problem: "empty", version: "github.com/containernetworking/plugins v1.10.0", wantedBy: ["10-bridge.conflist", "NAD"], running: 0 }],
    otherBinaries: [],
    staleMounts: [{ socketPath: "/run/multus/multus.sock", mountPath: "/host/run/multus", because: "deleted", namespace: "kube-system", pod: "dynamic-networks-controller-x2x4z", container: "controller", mountedInode: "0:25/11043286", hostInode: "0:25/11043719" }],
    mountsSeen: 3,
  });
});

describe("programs", () => {
  test("that are asked for and broken come first, then broken ones, then those that run, by name", () => {
    const items = [binary("bridge", { wantedBy: ["a.conflist"] }), binary("portmap", { wantedBy: ["a.conflist"], problem: "absent" }), binary("old", { problem: "truncated" }), binary("multus-shim", { wantedBy: ["00-multus.conf"] }), binary("vlan"), binary("dhcp")];
    const view = hostView(programs(items, [running("multus-shim"), running("multus-shim", { pid: 2 })]));
    expect(view?.binaries?.map(({ name, running: count }) => [name, count])).toEqual([["portmap", 0], ["old", 0], ["multus-shim", 2], ["bridge", 0]]);
    expect(view?.otherBinaries).toEqual(["dhcp", "vlan"]);
  });

  test("whose file was replaced since do not hold the new one", () => {
    expect(hostView(programs([binary("multus-shim", { wantedBy: ["00-multus.conf"] })], [running("multus-shim", { replaced: true })]))?.binaries?.[0]?.running).toBe(0);
  });

  test("are cut at the bound, the faulty ones never before the others", () => {
    const many = Array.from({ length: 200 }, (_, index) => binary(`p${index}`, { wantedBy: ["a"] }));
    const view = hostView(programs([...many, binary("broken", { wantedBy: ["a"], problem: "empty" }), ...Array.from({ length: 200 }, (_, index) => binary(`o${index}`))]));
    expect(view?.binaries).toHaveLength(24);
    expect(view?.binaries?.[0]?.name).toBe("broken");
    expect(view?.otherBinaries).toHaveLength(32);
  });
});
