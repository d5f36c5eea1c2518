import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

/** The files of one capture by their own names, as its MANIFEST tells them; JSON is parsed by whoever asks. */
export interface Capture {
  readonly name: string;
  /** What the kubelet gives a call to the runtime on the captured node; no file of a capture tells it. Absent: not known, so that the usual one is assumed. */
  readonly runtimeRequestTimeoutSeconds?: number;
  readonly files: ReadonlyMap<string, string>;
}

/** A capture of these files, whatever system wrote their lines. An empty one tells nothing. */
export function captureOf(name: string, files: Iterable<readonly [string, string]>, runtimeRequestTimeoutSeconds?: number): Capture {
  const plain = [...files].map(([file, text]) => [file, text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n")] as const).filter(([, text]) => text.trim() !== "");
  return { name, ...(runtimeRequestTimeoutSeconds === undefined ? {} : { runtimeRequestTimeoutSeconds }), files: new Map(plain) };
}

const SERVER = path.join(import.meta.dirname, "../../..");
const OBJECTS = path.join(SERVER, "sources/kube-api/recorded");
const PAGES = path.join(SERVER, "sources/kubelet/testing/fixtures");
const LISTINGS = path.join(SERVER, "agent/fixtures");
const COURSES = path.join(import.meta.dirname, "course.json.gz");

/** Folders of captures: that of the API's objects, that of the kubelet's pages, and the kubelet's timeout there. */
const FAMILIES: readonly { readonly name: string; readonly pages: string; readonly timeoutSeconds: number }[] = [
  { name: "multus", pages: "multus", timeoutSeconds: 15 },
  { name: "containerd-1.6.20", pages: "cluster/faults", timeoutSeconds: 120 },
  { name: "containerd-2.4.2", pages: "cluster/faults-containerd-2.4.2", timeoutSeconds: 120 },
];

/** "multus/retry-storm" and the like: every capture that lies in the repository. */
export const committedCaptures = (): readonly string[] =>
  FAMILIES.flatMap(({ name }) => readdirSync(path.join(OBJECTS, name)).map((file) => `${name}/${file.replace(".json.gz", "")}`)).sort();

/** A capture whose files lie beside the tests of the sources that read them. */
export function committedCapture(name: string): Capture {
  const [family = "", failure = ""] = name.split("/");
  const known = FAMILIES.find((one) => one.name === family);
  if (known === undefined) throw new Error(`no folder of captures is called ${family}`);
  const files = new Map<string, string>();
  const objects = JSON.parse(unpacked(path.join(OBJECTS, `${name}.json.gz`))) as Record<string, unknown>; // our own bundle
  for (const [file, content] of Object.entries(objects)) files.set(file, typeof content === "string" ? content : JSON.stringify(content));
  addFolder(files, path.join(PAGES, known.pages, failure.replace(".", "/")));
  addFolder(files, path.join(LISTINGS, name));
  const courses = JSON.parse(unpacked(COURSES)) as Record<string, Record<string, string>>; // our own bundle
  for (const [file, content] of Object.entries(courses[name] ?? {})) files.set(file, content);
  return captureOf(name, files, known.timeoutSeconds);
}

/** A capture as it was taken: one folder that holds all of its files. */
export function captureInFolder(folder: string, runtimeRequestTimeoutSeconds?: number): Capture {
  const files = new Map<string, string>();
  addFolder(files, folder);
  return captureOf(path.basename(folder), files, runtimeRequestTimeoutSeconds);
}

const unpacked = (file: string): string => gunzipSync(readFileSync(file)).toString("utf8");

function addFolder(files: Map<string, string>, folder: string): void {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return; // this kind of file was not captured
  }
  for (const name of names) {
    if (name.endsWith(".gz")) files.set(name.slice(0, -".gz".length), unpacked(path.join(folder, name)));
    else if (/\.(json|txt)$/.test(name)) files.set(name, readFileSync(path.join(folder, name), "utf8"));
  }
}

/** Undefined where the file was not captured, or broke off while it was written. */
export function jsonOf(capture: Capture, file: string): unknown {
  const text = capture.files.get(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The items of a list object; an object that is no list is the one item. */
export function itemsOf(object: unknown): readonly unknown[] {
  if (object === undefined) return [];
  return typeof object === "object" && object !== null && "items" in object && Array.isArray(object.items) ? object.items : [object];
}

export interface Moment {
  /** "" during the fault, "-before-lift" and the like otherwise. */
  readonly suffix: string;
  readonly atMs: number;
}

/** What is captured of a moment under its suffix; pages of the kubelet may be those before a moment and make none. */
const OF_A_MOMENT = /^(?:pods|events|node|daemonset|sandboxes|files|cgroups)(-.+)?\.(?:json|txt)$/;
/** The same events in another version of the API, and those of the node: no moment of their own. */
const OTHER_EVENTS = /^(?:events-v1|node-events)(-.+)?\.json$/;

/**
 * The moments, in the order of time. When each was is the newest time that its files hold: an event, a condition's transition or
 * heartbeat, the head of a listing, cAdvisor's own times. A moment at which nothing happened may hold no time of its own: it was taken
 * after the one before it, and the one during the fault is the first, unless another was written down at an earlier time.
 */
export function momentsOf(capture: Capture): readonly Moment[] {
  const suffixes = new Set([...capture.files.keys()].flatMap((name) => (OTHER_EVENTS.test(name) ? [] : (OF_A_MOMENT.exec(name)?.slice(1, 2).map((suffix: string | undefined) => suffix ?? "") ?? []))));
  const found = [...suffixes].map((suffix) => ({ suffix, atMs: newestMs(capture, suffix), headMs: headMs(capture, suffix) }));
  const during = found.find(({ suffix }) => suffix === "");
  const isEarlier = ({ suffix, headMs: ms }: { readonly suffix: string; readonly headMs?: number | undefined }): boolean => suffix === "-before" || (ms !== undefined && during?.headMs !== undefined && ms < during.headMs);
  const rank = (one: (typeof found)[number]): number => (one === during ? 1 : isEarlier(one) ? 0 : 2);
  let lastMs = 0;
  return found.sort((a, b) => rank(a) - rank(b) || a.atMs - b.atMs).map(({ suffix, atMs }) => ({ suffix, atMs: (lastMs = Math.max(atMs, lastMs + 1_000)) }));
}

const OBJECT_TIMES = /"(?:lastTimestamp|eventTime|creationTimestamp|lastTransitionTime|lastHeartbeatTime|lastObservedTime|startedAt|finishedAt)":\s*"([^"]+)"/g;

function newestMs(capture: Capture, suffix: string): number {
  const text = (file: string): string => capture.files.get(file) ?? "";
  const times = [
    ...["pods", "events", "node"].flatMap((kind) => [...text(`${kind}${suffix}.json`).matchAll(OBJECT_TIMES)].map(([, time = ""]) => Date.parse(time))),
    headMs(capture, suffix) ?? Number.NaN,
    ...[...text(`cadvisor-metrics${pageSuffix(suffix)}.txt`).matchAll(/ (\d{13})$/gm)].map(([, ms]) => Number(ms)),
  ];
  return times.filter((ms) => !Number.isNaN(ms)).reduce((newest, ms) => Math.max(newest, ms), startedMs(capture) ?? 0);
}

/** When a listing of the moment was taken, by its first line. */
function headMs(capture: Capture, suffix: string): number | undefined {
  const heads = ["files", "cgroups"].map((kind) => Date.parse(/^# (\S+)/.exec(capture.files.get(`${kind}${suffix}.txt`) ?? "")?.[1] ?? "")).filter((ms) => !Number.isNaN(ms));
  return heads.length === 0 ? undefined : Math.max(...heads);
}

function startedMs(capture: Capture): number | undefined {
  const ms = Date.parse(capture.files.get("started.txt")?.trim() ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/** Pages are named by the moment too, and the one during the fault by a word. */
export const pageSuffix = (suffix: string): string => (suffix === "" ? "-during" : suffix);
