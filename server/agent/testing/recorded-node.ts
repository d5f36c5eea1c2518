import { chmod, mkdir, readFile, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { SandboxReading } from "../../domain/agent-report";

const FIXTURES = path.join(import.meta.dirname, "../fixtures/multus");
const unpack = promisify(gunzip);

/** What one recorded listing of a node says, beside the files that were made of it. */
export interface RecordedNode {
  readonly atMs: number;
  readonly binaries: readonly string[];
  readonly confFiles: readonly string[];
  readonly leases: number;
  readonly multusCache: number;
  readonly holders: readonly { readonly pid: number; readonly inode: string; readonly path: string; readonly ageSeconds: number }[];
  /** Connections on multus.sock by the state that /proc/net/unix gives them. */
  readonly connections: Readonly<Record<string, number>>;
}

/** Seconds that the machine of a made /proc has been up. */
export const UPTIME_SECONDS = 100_000;
const TICKS_PER_SECOND = 100;

/** Makes the folders and processes of a recorded listing below `root`: the listed names, sizes, modes and times; sparse files for programs. */
export async function makeRecordedNode(root: string, failure: string, moment = ""): Promise<RecordedNode> {
  const text = await readFile(path.join(FIXTURES, failure, `files${moment === "" ? "" : `-${moment}`}.txt`), "utf8");
  const sections = text.split(/^## /m).map((section) => ({ title: section.split("\n")[0] ?? "", lines: section.split("\n").slice(1) }));
  const section = (start: string) => sections.find(({ title }) => title.startsWith(start));
  const names: Record<string, string[]> = {};
  for (const { title, lines } of sections) {
    const dir = /^ls -lai (\/.*)$/.exec(title)?.[1];
    if (dir === undefined || lines[0]?.startsWith("ls: cannot access") === true) continue;
    await mkdir(path.join(root, dir), { recursive: true });
    names[dir] = await makeEntries(root, dir, lines);
  }
  for (const { title, lines } of sections) {
    if (!title.startsWith("/etc/cni/net.d/")) continue;
    const file = path.join(root, title);
    await writeFile(file, lines.join("\n").replace(/\n+$/, "\n"));
    await touch(file, timeIn(section("ls -lai /etc/cni/net.d")?.lines.find((line) => line.endsWith(path.basename(title))) ?? ""));
  }
  const holders = (section("holders")?.lines ?? []).flatMap((line) => {
    const match = /^(\d+) (\d+) (\S+) ppid=\d+ age=(\d+)s$/.exec(line);
    return match === null ? [] : [{ pid: Number(match[1]), inode: match[2] ?? "", path: match[3] ?? "", ageSeconds: Number(match[4]) }];
  });
  const connections = Object.fromEntries((section("unix sockets")?.lines ?? []).flatMap((line) => {
    const match = /^\s*(\d+) (\d\d)$/.exec(line);
    return match === null ? [] : [[match[2] ?? "", Number(match[1])]];
  }));
  await makeProc(root, holders, connections);
  return {
    atMs: Date.parse(/^# (\S+)/.exec(text)?.[1] ?? ""),
    binaries: names["/opt/cni/bin"] ?? [],
    confFiles: names["/etc/cni/net.d"] ?? [],
    leases: Number(section("addresses reserved")?.title.split(": ")[1]),
    multusCache: Number(section("multus cache")?.title.split(": ")[1]),
    holders,
    connections,
  };
}

const timeIn = (line: string): number => Date.parse(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3})\d* \+0000/.exec(line)?.slice(1).join("T").concat("Z") ?? "");
const touch = (file: string, ms: number): Promise<void> => utimes(file, ms / 1000, ms / 1000);

async function makeEntries(root: string, dir: string, lines: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const line of lines) {
    const match = /^\s*\d+ -([rwx-]{9})\s+\d+ root root\s+(\d+) .* (\S+)$/.exec(line);
    if (match === null) continue;
    const [, rights = "", size, name = ""] = match;
    const file = path.join(root, dir, name);
    await writeFile(file, "");
    await truncate(file, Number(size));
    await chmod(file, Number.parseInt(rights.replace(/[rwx]/g, "1").replace(/-/g, "0"), 2));
    await touch(file, timeIn(line));
    names.push(name);
  }
  return names;
}

async function makeProc(root: string, holders: RecordedNode["holders"], connections: RecordedNode["connections"]): Promise<void> {
  await mkdir(path.join(root, "proc/net"), { recursive: true });
  await writeFile(path.join(root, "proc/uptime"), `${String(UPTIME_SECONDS)}.00 50000.00\n`);
  for (const { pid, path: exe, ageSeconds } of holders) await makeProcess(root, { pid, exe, startedSeconds: UPTIME_SECONDS - ageSeconds, environ: "CNI_COMMAND=ADD\0" });
  const lines = Object.entries(connections).flatMap(([state, count]) =>
    Array.from({ length: count }, (_, at) => `0000000000000000: 00000002 00000000 ${state === "01" ? "00010000" : "00000000"} 0001 ${state} ${state === "02" ? "0" : String(90_000 + at)} /host/run/multus/multus.sock`),
  );
  await writeFile(path.join(root, "proc/net/unix"), `Num       RefCount Protocol Flags    Type St Inode Path\n${lines.map((line) => `${line}\n`).join("")}`);
}

/** One process of a made /proc: its link to the program, its state and start. */
export async function makeProcess(root: string, { pid, exe, startedSeconds = 1, state = "S", environ = "" }: { readonly pid: number; readonly exe: string; readonly startedSeconds?: number; readonly state?: string; readonly environ?: string }): Promise<void> {
  const dir = path.join(root, "proc", String(pid));
  await mkdir(dir, { recursive: true });
  await symlink(exe, path.join(dir, "exe"));
  // 22nd: ticks between the machine's start and the process's; the name in brackets may hold anything.
  await writeFile(path.join(dir, "stat"), `${String(pid)} (a) b (c) ${state} 49 ${"0 ".repeat(17)}${String(startedSeconds * TICKS_PER_SECOND)} 0 0\n`);
  await writeFile(path.join(dir, "environ"), environ);
}

/** The sandboxes that the runtime listed, as the agent reads them. */
export async function recordedSandboxes(failure: string, moment = ""): Promise<readonly SandboxReading[]> {
  const text = await unpack(await readFile(path.join(FIXTURES, failure, `sandboxes${moment === "" ? "" : `-${moment}`}.json.gz`)));
  const items = JSON.parse(text.toString("utf8")) as { id: string; metadata: { name: string; uid: string; namespace: string; attempt?: number }; state?: number; created_at: number }[]; // our own recording
  return items.map(({ id, metadata, state = 0, created_at }) => {
    const createdMs = Math.floor(created_at / 1_000_000);
    return { id, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid, attempt: metadata.attempt ?? 0, ready: state === 0, ...(createdMs > 0 ? { createdMs } : {}) };
  });
}

/** The recorded cgroup v1 files of the daemon: "container memory.limit_in_bytes" → its text. */
export async function recordedCgroups(failure: string, moment = ""): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path.join(FIXTURES, failure, `cgroups${moment === "" ? "" : `-${moment}`}.txt`), "utf8");
  return new Map(text.split(/^## /m).slice(1).map((section) => [section.split("\n")[0] ?? "", section.split("\n").slice(1).join("\n")]));
}
