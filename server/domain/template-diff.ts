import type { ContainerResources } from "./model";
import { redact } from "./redact";
import { bytesWords, coresWords } from "./words";

/** One container of a pod template, as far as its changes are shown. */
export interface TemplateContainer {
  readonly name: string;
  readonly init: boolean;
  readonly image?: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** `value`, or in words where it comes from ("secret multus-token, key token"). */
  readonly env: readonly { readonly name: string; readonly value?: string; readonly from?: string }[];
  readonly resources: ContainerResources;
}

/** A template with its secrets, so it never leaves the process that read it: only its diff does. */
export interface PodTemplate {
  readonly containers: readonly TemplateContainer[];
  /** Every other field by its path ("spec.tolerations"), as text to compare. */
  readonly others: ReadonlyMap<string, string>;
}

/** What differs between two templates; secrets are removed. */
export interface TemplateDiff {
  /** Each begins with "+" or "-"; at most MAX_DIFF_LINES. */
  readonly lines: readonly string[];
  /** Paths of what differs and is not shown, at most MAX_OTHERS. */
  readonly others: readonly string[];
}

export const MAX_DIFF_LINES = 60;
export const MAX_OTHERS = 12;
const MAX_LINE_CHARS = 300;

/** What differs from one revision of a pod template to the next: images, commands, arguments, environment and resources by container. */
export function diffTemplates(before: PodTemplate, after: PodTemplate): TemplateDiff {
  const lines = diffLines(before.containers.flatMap(linesOf), after.containers.flatMap(linesOf));
  const paths = [...new Set([...before.others.keys(), ...after.others.keys()])].filter((path) => before.others.get(path) !== after.others.get(path)).sort();
  return { lines: lines.slice(0, MAX_DIFF_LINES), others: paths.slice(0, MAX_OTHERS) };
}

interface Line {
  readonly shown: string;
  /** With its secrets: two values that are both removed may differ. */
  readonly whole: string;
}

function linesOf({ name, init, image, command, args, env, resources }: TemplateContainer): readonly Line[] {
  const of = `${init ? "init container " : ""}${name}`;
  return [
    ...(image === undefined ? [] : [plain(`${of}: image ${image}`)]),
    ...words(command).map((word, index) => ({ shown: `${of}: command ${word}`, whole: `${of}: command ${command[index] ?? ""}` })),
    ...words(args).map((word, index) => ({ shown: `${of}: argument ${word}`, whole: `${of}: argument ${args[index] ?? ""}` })),
    ...env.map((one) => ({ shown: `${of}: env ${one.name} ${one.from === undefined ? `= ${String(redact(one.value ?? "", one.name))}` : `from ${one.from}`}`, whole: `${of}: env ${one.name} ${one.from ?? one.value ?? ""}` })),
    plain(`${of}: ${resourceWords(resources)}`),
  ];
}

const plain = (text: string): Line => ({ shown: text, whole: text });

/** Arguments without secrets: what stands behind "--token=", or as the next word behind "--token", is one by its name. */
function words(list: readonly string[]): readonly string[] {
  return list.map((word, index) => {
    const equals = word.indexOf("=");
    if (equals > 0) return `${word.slice(0, equals)}=${String(redact(word.slice(equals + 1), word.slice(0, equals)))}`;
    const flag = list[index - 1];
    return String(redact(word, flag?.startsWith("-") === true && !flag.includes("=") && !word.startsWith("-") ? flag : ""));
  });
}

function diffLines(before: readonly Line[], after: readonly Line[]): readonly string[] {
  const gone = without(before, after);
  const come = without(after, before);
  const shownBefore = new Set(gone.map(({ shown }) => shown));
  return [...gone.map(({ shown }) => cut(`- ${shown}`)), ...come.map(({ shown }) => cut(`+ ${shown}${shownBefore.has(shown) ? ", another value" : ""}`))];
}

function without(lines: readonly Line[], other: readonly Line[]): readonly Line[] {
  const there = new Set(other.map(({ whole }) => whole));
  return lines.filter(({ whole }) => !there.has(whole));
}

const cut = (line: string): string => {
  const flat = line.replaceAll("\n", "⏎");
  return flat.length > MAX_LINE_CHARS ? `${flat.slice(0, MAX_LINE_CHARS)}…` : flat;
};

/** "CPU limit 2 CPU, request 100m CPU; memory limit 1 Gi, request none". */
export function resourceWords({ cpuLimitCores, cpuRequestCores, memoryLimitBytes, memoryRequestBytes }: ContainerResources): string {
  const cores = (value: number | undefined): string => (value === undefined ? "none" : coresWords(value));
  const bytes = (value: number | undefined): string => (value === undefined ? "none" : bytesWords(value));
  return `CPU limit ${cores(cpuLimitCores)}, request ${cores(cpuRequestCores)}; memory limit ${bytes(memoryLimitBytes)}, request ${bytes(memoryRequestBytes)}`;
}
