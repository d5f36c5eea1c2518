import type { BinaryProblem, BinaryReading, MultusConfig } from "../agent-readings";
import type { ConfigReading } from "../agent-report";
import { listWords } from "../words";
import { agentPart } from "./agent-part";
import type { CauseInput } from "./types";

/** A program that the runtime or a plugin would call in vain. */
export interface BrokenBinary {
  readonly type: string;
  /** "has 0 bytes in /opt/cni/bin". */
  readonly words: string;
  readonly wantedBy: readonly string[];
}

const WORDS: Readonly<Record<Exclude<BinaryProblem, "unreadable" | "absent">, string>> = {
  empty: "has 0 bytes",
  truncated: "ends in the middle of the program",
  "not-executable": "is not executable",
  "wrong-architecture": "was built for another architecture",
  directory: "is a folder",
};

/** What the agent tells of plugin binaries; each part may be missing. */
export interface BinaryLook {
  readonly config: ReturnType<typeof agentPart<"config">>;
  readonly binaries: ReturnType<typeof agentPart<"binaries">>;
  /** Broken programs by plugin type. */
  readonly broken: ReadonlyMap<string, BrokenBinary>;
  /** Types that were looked at, broken or not. */
  readonly lookedAt: ReadonlySet<string>;
}

/** Plugin types that the config in force calls: its own, those that it delegates to, and those of the conflist that multus hands the pods to. */
export function typesInForce(reading: ConfigReading, multus: MultusConfig | undefined, files: readonly { readonly name: string; readonly pluginTypes: readonly string[] }[]): ReadonlySet<string> {
  const master = multus?.clusterNetwork;
  const behind = master === undefined ? [] : (files.find(({ name }) => name === master)?.pluginTypes ?? []);
  return new Set([...reading.pluginTypes, ...(reading.delegateTypes ?? []), ...behind]);
}

export function lookAtBinaries(input: CauseInput): BinaryLook {
  const config = agentPart(input, "config");
  const binaries = agentPart(input, "binaries");
  const broken = new Map<string, BrokenBinary>();
  const lookedAt = new Set<string>();
  const dirs = config.looked ? config.reading.binDirs : [];
  if (binaries.looked) {
    for (const [type, readings] of byType(binaries.items)) {
      const effective = inForce(readings, dirs);
      if (effective.problem === "unreadable") continue;
      lookedAt.add(type);
      const words = wordsOf(effective, dirs);
      if (words !== undefined) broken.set(type, { type, words, wantedBy: effective.wantedBy });
    }
  }
  if (config.looked) addFromConfig(config.reading, broken, lookedAt);
  return { config, binaries, broken, lookedAt };
}

/** The config's own reading knows the types that it names, also where an older agent tells no more. */
function addFromConfig({ pluginTypes, delegateTypes = [], missingBinaries, binaryProblems = [], binDirs, effectiveFile }: ConfigReading, broken: Map<string, BrokenBinary>, lookedAt: Set<string>): void {
  const wantedBy = effectiveFile === undefined ? [] : [effectiveFile];
  for (const type of [...pluginTypes, ...delegateTypes]) {
    lookedAt.add(type);
    const problem = binaryProblems.find((line) => line.startsWith(`${type}: `))?.slice(type.length + 2);
    if (broken.has(type) || (problem === undefined && !missingBinaries.includes(type))) continue;
    broken.set(type, { type, words: problem === undefined ? absentWords(binDirs) : `is ${problem}`, wantedBy });
  }
}

type Readings = readonly [BinaryReading, ...BinaryReading[]];

function byType(items: readonly BinaryReading[]): ReadonlyMap<string, Readings> {
  const found = new Map<string, [BinaryReading, ...BinaryReading[]]>();
  for (const item of items) {
    const own = found.get(item.type);
    if (own === undefined) found.set(item.type, [item]);
    else own.push(item);
  }
  return found;
}

/** The runtime takes the first file of that name in the order of its folders; one that is broken hides a good one behind it. */
function inForce(readings: Readings, dirs: readonly string[]): BinaryReading {
  const order = ({ dir }: BinaryReading): number => (dir === undefined || !dirs.includes(dir) ? dirs.length : dirs.indexOf(dir));
  const sorted = [...readings].sort((a, b) => order(a) - order(b));
  return sorted.find(({ problem }) => problem !== "absent" && problem !== "directory") ?? readings[0];
}

function wordsOf({ problem, dir, architecture }: BinaryReading, dirs: readonly string[]): string | undefined {
  if (problem === undefined || problem === "unreadable") return undefined;
  if (problem === "absent") return absentWords(dirs);
  const place = dir === undefined ? "" : ` in ${dir}`;
  return `${WORDS[problem]}${problem === "wrong-architecture" && architecture !== undefined ? ` (${architecture})` : ""}${place}`;
}

const absentWords = (dirs: readonly string[]): string => (dirs.length === 0 ? "is in none of the folders that are searched" : `is not in ${listWords(dirs)}`);
