import { captureOf, type Capture } from "./capture";

/** A capture as another trial of the same kind would have written it: what happened is the same. */
export type Change = (files: ReadonlyMap<string, string>) => Iterable<readonly [string, string]>;

export const changed = (capture: Capture, ...changes: readonly Change[]): Capture => {
  const files = changes.reduce((before, change) => new Map(change(before)), capture.files);
  return captureOf(capture.name, files, capture.runtimeRequestTimeoutSeconds);
};

/** Without the files of these kinds ("events", "kubelet-metrics"), at every moment. */
export const without = (...kinds: readonly string[]): Change => (files) => [...files].filter(([file]) => !kinds.some((kind) => isOf(kind, file)));
/** With the files of these kinds alone. */
export const only = (...kinds: readonly string[]): Change => (files) => [...files].filter(([file]) => kinds.some((kind) => isOf(kind, file)));

function isOf(kind: string, file: string): boolean {
  const rest = file.startsWith(kind) ? file.slice(kind.length) : "";
  return rest.startsWith(".") || (rest.startsWith("-") && !["-metrics", "-events"].some((other) => rest.startsWith(other)));
}

/** Every text with these words replaced, in names of files as well. */
export const renamed = (words: Readonly<Record<string, string>>): Change => (files) =>
  [...files].map(([file, text]) => {
    const put = (into: string): string => Object.entries(words).reduce((out, [from, to]) => out.replaceAll(from, to), into);
    return [put(file), put(text)];
  });

/** Moments called otherwise. */
export const suffixed = (from: string, to: string): Change => (files) => [...files].map(([file, text]) => [file.replace(new RegExp(`${from}(\\.(?:json|txt))$`), `${to}$1`), text]);

const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const LISTED = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+) \+0000/g;
const CLOCK = /(^|## )(\d\d:\d\d:\d\d)(?= )/gm;
const PAGE_MS = / (\d{13})$/gm;

/** At another time, as a node of another zone writes it in its listings and courses. */
export function shifted(byMs: number, zone: { readonly minutes: number; readonly text: string } = { minutes: 0, text: "+0000" }): Change {
  const moved = (ms: number): Date => new Date(ms + byMs);
  const local = (ms: number): string => new Date(ms + byMs + zone.minutes * 60_000).toISOString();
  return (files) =>
    [...files].map(([file, text]) => {
      if (file === "started.txt") return [file, text.replace(ISO, (time) => local(Date.parse(time)).replace(/\.\d+Z/, `${zone.text.slice(0, 3)}:${zone.text.slice(3)}`))];
      const iso = text.replace(ISO, (time) => moved(Date.parse(time)).toISOString().replace(/\.\d+Z/, `${/\.\d+/.exec(time)?.[0] ?? ""}Z`));
      if (file.endsWith(".json")) return [file, iso];
      const listed = iso.replace(LISTED, (_, day: string, time: string, fraction: string) => `${local(Date.parse(`${day}T${time}Z`)).slice(0, 19).replace("T", " ")}${fraction} ${zone.text}`);
      const clocks = /^(?:samples|summary)/.test(file) ? listed.replace(CLOCK, (_, head: string, time: string) => `${head}${local(Date.parse(`2026-11-30T${time}Z`)).slice(11, 19)}`) : listed;
      return [file, file.includes("-metrics-") ? clocks.replace(PAGE_MS, (_, ms: string) => ` ${String(Number(ms) + byMs)}`) : clocks];
    });
}

/** Lines as another system ends them. */
export const withCarriageReturns: Change = (files) => [...files].map(([file, text]) => [file, text.replaceAll("\n", "\r\n")]);

/** What belongs to no kind, empty files, and one that broke off. */
export const withOddFiles: Change = (files) => [...files, ["README.txt", "a trial"], ["kernel.txt", ""], ["events-v1.json", "{"], ["node-events.json", '{"items": ['], ["daemonset-odd.txt", ""], ["lsof-during.txt", "x"], ["stats-summary.json", "not json"]];

/** Every other event only, as a sample would leave them. */
export const withHalfTheEvents: Change = (files) =>
  [...files].map(([file, text]) => {
    if (!isOf("events", file)) return [file, text];
    const list = JSON.parse(text) as { readonly items: readonly unknown[] };
    return [file, JSON.stringify({ ...list, items: list.items.filter((_, at) => at % 2 === 0) }, undefined, 4)];
  });
