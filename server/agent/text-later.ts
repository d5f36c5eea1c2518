import type { ConfFile, ContainerCgroup, LaterParts, MultusConfig } from "../domain/agent-readings";
import type { Looked } from "../domain/agent-report";

/** The later parts of a report for a person at a terminal: what is in order in a few words, what is not in full. */
export function laterLines(parts: LaterParts): readonly string[] {
  return [
    ...section("files", parts.configFiles, ({ reading }) => [
      ...reading.files.map(fileLine),
      ...(reading.loaded === false ? [`the runtime has not loaded it${reading.usableSinceMs === undefined ? "" : `; it is there since ${iso(reading.usableSinceMs)}`}`] : []),
      ...(reading.loadedOther === undefined ? [] : [`the runtime works by another config, that of network ${reading.loadedOther}`]),
      ...(reading.multus === undefined ? [] : [multusLine(reading.multus)]),
    ]),
    ...(parts.configChanges ?? []).map(({ file, change, atMs, diff }) => line("changed", `${file} was ${change} at ${iso(atMs)}: ${diff.split("\n").join(" | ")}`)),
    ...section("programs", parts.binaries, ({ items, unread = [] }) => [
      `${String(items.filter(({ problem }) => problem === undefined).length)} in order`,
      ...items.flatMap(({ type, dir, problem, wantedBy }) => (problem === undefined ? [] : [`${type}: ${problem}${dir === undefined ? "" : ` in ${dir}`}${wantedBy.length === 0 ? "" : `, asked for by ${wantedBy.join(", ")}`}`])),
      ...unread.map((reason) => `could not look: ${reason}`),
    ]),
    ...section("plugins", parts.processes, ({ items, truncated }) => [
      `${String(items.length)} run${truncated ? " (list cut short)" : ""}`,
      ...items.map(({ pid, program, state, startedMs, command, namespace, pod, replaced }) => `${String(pid)} ${program} ${state}${startedMs === undefined ? "" : ` since ${iso(startedMs)}`}${command === undefined ? "" : ` ${command}`}${pod === undefined ? "" : ` for ${namespace ?? "?"}/${pod}`}${replaced ? ", its program is no longer the one at its path" : ""}`),
    ]),
    ...section("mounts", parts.mounts, ({ stale, mountsSeen, unread }) => [
      `${String(stale.length)} stale of ${String(mountsSeen)}${unread === undefined ? "" : `; ${String(unread)} namespaces could not be read`}`,
      ...stale.map(({ socketPath, mountPath, kind, pid, namespace, pod, container, because }) => `${kind} ${mountPath} of ${pod === undefined ? `process ${String(pid)}` : `${namespace ?? "?"}/${pod} ${container ?? ""}`.trim()} is not ${socketPath} any more (${because})`),
    ]),
    ...section("use", parts.socketUse, ({ items }) => items.map(({ path, connections, liveShims }) => `${path}: ${String(connections)} connections, ${String(liveShims)} callers live`)),
    ...section("cgroups", parts.cgroups, ({ items }) => items.map(cgroupLine)),
    ...section("caches", parts.caches, ({ items, pools }) => [
      ...items.map(({ dir, entries, broken, brokenCount, problem }) => `${dir}: ${String(entries)} entries${brokenCount === 0 ? "" : `, ${String(brokenCount)} broken (${broken.join(", ")})`}${problem === undefined ? "" : `; ${problem}`}`),
      ...pools.map(({ network, range, leases, leaked, size }) => `${network}${range === undefined ? "" : ` ${range}`}: ${String(leases)} leases${size === undefined ? "" : ` of ${String(size)}`}${leaked === undefined || leaked === 0 ? "" : `, ${String(leaked)} of sandboxes that are gone`}`),
    ]),
    ...section("logins", parts.credentials, ({ items }) => items.map(({ path, kind, expiresUnixSeconds, problem }) => `${path}: ${[...(kind === undefined ? [] : [kind]), ...(expiresUnixSeconds === undefined ? [] : [`good until ${iso(expiresUnixSeconds * 1_000)}`]), ...(problem === undefined ? [] : [problem])].join(", ")}`)),
    ...section("kubelet", parts.kubelet, ({ reading }) => [`runtimeRequestTimeout ${String(reading.runtimeRequestTimeoutSeconds ?? "?")} s (${reading.timeoutFrom ?? "?"})`]),
    ...section("pods", parts.kubeletPods, ({ items, truncated }) => [`${String(items.length)} by the kubelet's own list${truncated ? " (cut short)" : ""}, ${String(items.filter(({ phase }) => phase === "Running").length)} of them running`]),
  ];
}

const NAME_CHARS = 10;
const line = (name: string, text: string): string => `${name.padEnd(NAME_CHARS)}${text}`;
const iso = (ms: number): string => new Date(ms).toISOString();

/** A part that an older agent does not have has no lines; one that could not be looked at says why. */
function section<T>(name: string, part: Looked<T> | undefined, lines: (part: { readonly looked: true } & T) => readonly string[]): readonly string[] {
  if (part === undefined) return [];
  if (!part.looked) return [line(name, `could not look: ${part.reason}`)];
  return lines(part).map((text, at) => line(at === 0 ? name : "", text));
}

const fileLine = ({ name, usable, problem, networkName, cniVersion, pluginTypes }: ConfFile): string =>
  usable ? `${name}: ${networkName ?? "no name"}${cniVersion === undefined ? "" : ` ${cniVersion}`} (${pluginTypes.join(", ")})` : `${name}: cannot be used: ${problem ?? "?"}`;

function multusLine(multus: MultusConfig): string {
  const { masterCni, nestedMasterCni, daemonConfigProblem, clusterNetwork, clusterNetworkExists, generated, thick, readinessIndicatorFile, readinessIndicatorExists } = multus;
  const facts = [
    ...(thick === undefined ? [] : [thick ? "thick" : "thin"]),
    generated ? "config generated" : "config not generated",
    ...(clusterNetwork === undefined ? [] : [`hands on to ${clusterNetwork}${clusterNetworkExists === false ? ", which is not there" : ""}`]),
    ...(masterCni === undefined ? [] : [`multusMasterCNI ${masterCni}`]),
    ...(nestedMasterCni === undefined ? [] : [`multusMasterCNI ${nestedMasterCni} below another key, where it does not count`]),
    ...(readinessIndicatorFile === undefined ? [] : [`waits for ${readinessIndicatorFile}${readinessIndicatorExists === false ? ", which is not there" : ""}`]),
    ...(daemonConfigProblem === undefined ? [] : [`daemon-config.json: ${daemonConfigProblem}`]),
  ];
  return `multus: ${facts.join("; ")}`;
}

function cgroupLine(item: ContainerCgroup): string {
  const { namespace, pod, container, cni, cpuQuotaCores, cpuPeriods, cpuThrottledPeriods, memoryBytes, memoryLimitBytes, memoryPeakBytes, oomKills, podMemoryLimited } = item;
  const facts = [
    cpuQuotaCores === undefined ? "no CPU limit" : `CPU limit ${String(cpuQuotaCores)}`,
    ...(cpuPeriods === undefined || cpuThrottledPeriods === undefined ? [] : [`throttled in ${String(cpuThrottledPeriods)} of ${String(cpuPeriods)} periods`]),
    ...(memoryBytes === undefined ? [] : [`memory ${mebibytes(memoryBytes)}${memoryPeakBytes === undefined ? "" : `, peak ${mebibytes(memoryPeakBytes)}`}, ${memoryLimitBytes === undefined ? "no limit" : `limit ${mebibytes(memoryLimitBytes)}`}`]),
    ...(oomKills === undefined || oomKills === 0 ? [] : [`${String(oomKills)} OOM kills`]),
    ...(podMemoryLimited === false ? ["the pod itself has no memory limit"] : []),
  ];
  return `${namespace}/${pod} ${container}${cni === undefined ? "" : ` (${cni})`}: ${facts.join("; ")}`;
}

const BYTES_PER_MEBIBYTE = 1_048_576;
const mebibytes = (bytes: number): string => `${(bytes / BYTES_PER_MEBIBYTE).toFixed(1)} MiB`;
