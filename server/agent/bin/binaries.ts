import { MAX_BINARIES, MAX_WANTED_BY, type BinaryProblem, type BinaryReading, type LaterParts } from "../../domain/agent-readings";
import { MAX_BIN_DIRS, capText } from "../../domain/agent-report";
import { count, idText, nameText, pathText, timeMs, told, wordText } from "../bounds";
import type { ConfFileRead } from "../conf/read-dir";
import { reasonOf, type HostFs, type Stamp } from "../host-fs";
import { runsOn } from "./elf";
import { readProgram, type ProgramFacts } from "./read-program";

export interface BinariesReader {
  /** `nadPluginTypes`: what the server says that network attachments ask for. */
  look(binDirs: readonly string[], files: readonly ConfFileRead[], nadPluginTypes: readonly string[]): Promise<NonNullable<LaterParts["binaries"]>>;
}

/** Entries of one bin dir that are looked at, beside those that somebody asks for. */
const MAX_ENTRIES = 1_024;
/** Programs are read from end to end once; a node has some 80 MB of them, so the first rounds share the work. */
export const READ_BYTES_PER_ROUND = 32 * 1024 * 1024;
const MAX_READ_BYTES = 256 * 1024 * 1024;
const NAD = "NAD";
const EXECUTABLE = 0o111;

/** Reads a program again only when it was written or replaced. `nodeArchitecture` as Node.js names it. */
export function binariesReader(fs: HostFs, bytesPerRound: number = READ_BYTES_PER_ROUND, nodeArchitecture: string = process.arch): BinariesReader {
  let known = new Map<string, { readonly key: string; readonly facts: ProgramFacts }>();

  return {
    look: async (binDirs, files, nadPluginTypes) => {
      const wanted = wantedBy(files, nadPluginTypes);
      const seen: BinaryReading[] = [];
      const unread: string[] = [];
      const now: typeof known = new Map();
      const budget = { leftBytes: bytesPerRound };
      for (const dir of binDirs.slice(0, MAX_BIN_DIRS)) {
        let names: readonly string[];
        try {
          names = ((await fs.list(dir)) ?? []).map(({ name }) => name);
        } catch (error) {
          unread.push(capText(`${dir}: ${reasonOf(error)}`));
          continue;
        }
        const chosen = new Set([...names.filter((name) => wanted.has(name)), ...names.slice(0, MAX_ENTRIES)]);
        for (const name of chosen) {
          const reading = await lookAtOne(dir, name, budget, now);
          if (reading !== undefined) seen.push({ ...reading, wantedBy: wanted.get(name) ?? [] });
        }
      }
      known = now;
      const there = new Set(seen.map(({ type }) => type));
      // Where a dir could not be listed, what is asked for may be in it.
      const absent = unread.length > 0 ? [] : [...wanted].filter(([type]) => !there.has(type)).map(([type, by]): BinaryReading => ({ type, problem: "absent", wantedBy: by }));
      const items = [...absent, ...seen].sort((a, b) => Number(b.wantedBy.length > 0) - Number(a.wantedBy.length > 0) || (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
      return { looked: true, items: items.slice(0, MAX_BINARIES), ...(unread.length === 0 ? {} : { unread }), ...(items.length > MAX_BINARIES ? { truncated: true } : {}) };
    },
  };

  async function lookAtOne(dir: string, name: string, budget: { leftBytes: number }, now: typeof known): Promise<Omit<BinaryReading, "wantedBy"> | undefined> {
    const path = `${dir}/${name}`;
    const base = { type: idText(name), dir: pathText(dir) };
    let stamp: Stamp | undefined;
    try {
      stamp = await fs.stamp(path);
    } catch {
      return { ...base, problem: "unreadable" };
    }
    if (stamp === undefined) return { ...base, problem: "unreadable" }; // a link that leads nowhere, or a name that is not UTF-8
    const whole = { ...base, ...told({ modifiedMs: timeMs(stamp.modifiedMs) }) };
    if (stamp.kind === "directory") return { ...whole, problem: "directory" };
    if (stamp.kind !== "file") return { ...whole, problem: "unreadable" };
    const facts = await factsOf(path, stamp, budget, now);
    const problem = problemOf(stamp, facts);
    const { sha256, architecture, version } = facts === "unreadable" || facts === undefined ? {} : facts;
    return {
      ...whole,
      ...told({ sizeBytes: count(stamp.sizeBytes), sha256, architecture: architecture === undefined ? undefined : wordText(architecture), version: version === undefined ? undefined : nameText(version), problem }),
    };
  }

  /** Undefined where it is not read yet: its turn comes in a later round. */
  async function factsOf(path: string, stamp: Stamp, budget: { leftBytes: number }, now: typeof known): Promise<ProgramFacts | "unreadable" | undefined> {
    const before = known.get(path);
    if (before?.key === stamp.key) {
      now.set(path, before);
      return before.facts;
    }
    const first = budget.leftBytes === bytesPerRound; // one that is larger than the budget still has its turn
    if (stamp.sizeBytes > MAX_READ_BYTES || (stamp.sizeBytes > budget.leftBytes && !first)) return undefined;
    budget.leftBytes -= stamp.sizeBytes;
    try {
      const facts = await readProgram(await fs.resolve(path), stamp.sizeBytes);
      now.set(path, { key: stamp.key, facts });
      return facts;
    } catch {
      return "unreadable";
    }
  }

  function problemOf(stamp: Stamp, facts: ProgramFacts | "unreadable" | undefined): BinaryProblem | undefined {
    if (stamp.sizeBytes === 0) return "empty";
    if ((stamp.mode & EXECUTABLE) === 0) return "not-executable";
    if (facts === "unreadable") return "unreadable";
    if (facts?.leastBytes !== undefined && facts.leastBytes > stamp.sizeBytes) return "truncated";
    return facts?.architecture !== undefined && !runsOn(facts.architecture, nodeArchitecture) ? "wrong-architecture" : undefined;
  }
}

/** Program → who asks for it: the files of the conf dir, and network attachments. */
function wantedBy(files: readonly ConfFileRead[], nadPluginTypes: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, string[]>();
  const add = (type: string, by: string): void => {
    const before = wanted.get(type);
    if (before === undefined) wanted.set(type, [by]);
    else if (before.length < MAX_WANTED_BY && !before.includes(by)) before.push(by);
  };
  for (const { name, config } of files) if (config.usable) for (const type of [...config.pluginTypes, ...config.delegateTypes]) add(type, nameText(name));
  for (const type of nadPluginTypes) add(type, NAD);
  return wanted;
}
