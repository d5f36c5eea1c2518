import type { Capture } from "./capture";
import { clockTimes } from "./clock-times";

/** One entry of a listed folder. */
export interface ListedEntry {
  readonly name: string;
  readonly inode: string;
  readonly kind: "file" | "directory" | "socket" | "other";
  readonly mode: number;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** What `files*.txt` says of a node's folders, of the shim's processes and of the daemon's socket. */
export interface Listing {
  readonly folders: ReadonlyMap<string, readonly ListedEntry[]>;
  /** Contents by path. */
  readonly contents: ReadonlyMap<string, string>;
  readonly holders: readonly { readonly pid: number; readonly inode: string; readonly path: string; readonly ageSeconds: number }[];
  /** Sockets called multus.sock by the state that /proc/net/unix gives them: 01 listens, 02 waits to be taken, 03 is connected. */
  readonly sockets: ReadonlyMap<string, number>;
  /** Addresses that host-local has given away. */
  readonly leases: number;
}

export function listingOf(capture: Capture, suffix: string): Listing | undefined {
  const text = capture.files.get(`files${suffix}.txt`);
  if (text === undefined) return undefined;
  const folders = new Map<string, readonly ListedEntry[]>();
  const contents = new Map<string, string>();
  const sections = sectionsOf(text);
  for (const { title, lines } of sections) {
    const folder = /^ls -lai (\/.*)$/.exec(title)?.[1];
    if (folder !== undefined && !(lines[0] ?? "").startsWith("ls: cannot access")) folders.set(folder, lines.flatMap((line) => entryOf(line) ?? []));
    if (title.startsWith("/") && /\.(?:conf|conflist|json)$/.test(title)) contents.set(title, lines.join("\n").replace(/\n+$/, "\n"));
  }
  const linesOf = (start: string): readonly string[] => sections.find(({ title }) => title.startsWith(start))?.lines ?? [];
  return {
    folders,
    contents,
    holders: linesOf("holders").flatMap((line) => {
      const match = /^(\d+) (\d+) (\S+) ppid=\d+ age=(\d+)s$/.exec(line);
      return match === null ? [] : [{ pid: Number(match[1]), inode: match[2] ?? "", path: match[3] ?? "", ageSeconds: Number(match[4]) }];
    }),
    sockets: new Map(linesOf("unix sockets").flatMap((line) => {
      const match = /^\s*(\d+) (\d\d)$/.exec(line);
      return match === null ? [] : [[match[2] ?? "", Number(match[1])] as const];
    })),
    leases: Number(sections.find(({ title }) => title.startsWith("addresses reserved"))?.title.split(": ")[1] ?? 0),
  };
}

const sectionsOf = (text: string): readonly { readonly title: string; readonly lines: readonly string[] }[] =>
  text.split(/^## /m).slice(1).map((section) => ({ title: section.split("\n")[0] ?? "", lines: section.split("\n").slice(1) }));

const KINDS: Readonly<Record<string, ListedEntry["kind"]>> = { "-": "file", d: "directory", s: "socket" };

function entryOf(line: string): ListedEntry | undefined {
  const match = /^\s*(\d+) (.)([rwxsStT-]{9})[.+]?\s+\d+ \S+ \S+\s+(\d+) (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{3})?\d* ([+-]\d\d)(\d\d) (.+)$/.exec(line);
  if (match === null) return undefined;
  const [, inode = "", kind = "", rights = "", size, day = "", time = "", fraction = "", hours = "", minutes = "", listed = ""] = match;
  const name = kind === "l" ? (listed.split(" -> ")[0] ?? listed) : listed;
  if (name === "." || name === "..") return undefined;
  return { name, inode: `8:1/${inode}`, kind: KINDS[kind] ?? "other", mode: Number.parseInt(rights.replace(/[rwxst]/g, "1").replace(/[-ST]/g, "0"), 2), sizeBytes: Number(size), modifiedMs: Date.parse(`${day}T${time}${fraction}${hours}:${minutes}`) };
}

/** The files of a control group by "container memory.limit_in_bytes" and the like; undefined where the daemon had no container. */
export function cgroupFilesOf(capture: Capture, suffix: string): ReadonlyMap<string, string> | undefined {
  const text = capture.files.get(`cgroups${suffix}.txt`);
  if (text === undefined) return undefined;
  return new Map(sectionsOf(text).map(({ title, lines }) => [title, lines.join("\n").trim()]));
}

/** One line of `samples.txt`: the course of a trial, counted every few seconds. */
export interface CourseSample {
  readonly atMs: number;
  /** "ready", "boxes", "dead", "periods" …; what could not be counted at that moment is absent. */
  readonly counts: Readonly<Record<string, number>>;
}

const SIZES: Readonly<Record<string, number>> = { Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };

export function samplesOf(capture: Capture): readonly CourseSample[] {
  return timedLines(capture, "samples.txt").flatMap(({ atMs, text }) => {
    const counts = Object.fromEntries(
      [...text.matchAll(/(\w+)=(\d+)(Ki|Mi|Gi)?(?=\s|$)/g)].map(([, key = "", number, size]) => [key, Number(number) * (size === undefined ? 1 : (SIZES[size] ?? 1))] as const),
    );
    return Object.keys(counts).length === 0 ? [] : [{ atMs, counts }];
  });
}

/** What `summary.txt` says at each heading that begins with a time. */
export function summaryOf(capture: Capture): readonly { readonly atMs: number; readonly title: string; readonly lines: readonly string[] }[] {
  const msOf = clockTimes(capture);
  return sectionsOf(capture.files.get("summary.txt") ?? "").flatMap(({ title, lines }) => {
    const time = /^(\d\d:\d\d:\d\d) /.exec(title)?.[1];
    return time === undefined ? [] : [{ atMs: msOf(time), title, lines }];
  });
}

function timedLines(capture: Capture, file: string): readonly { readonly atMs: number; readonly text: string }[] {
  const msOf = clockTimes(capture);
  return (capture.files.get(file) ?? "").split("\n").flatMap((line) => {
    const match = /^(\d\d:\d\d:\d\d) (.*)$/.exec(line);
    return match === null ? [] : [{ atMs: msOf(match[1] ?? ""), text: match[2] ?? "" }];
  });
}
