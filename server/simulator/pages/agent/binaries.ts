import { createHash } from "node:crypto";
import type { ConfDir } from "../../../agent/config";
import type { BinaryProblem, BinaryReading, LaterParts } from "../../../domain/agent-readings";
import { BIN_DIR, NODE_ARCHITECTURE, type ProgramRecord } from "../../model/files";
import type { NodeModel } from "../../model/node";
import { SHIM } from "../../model/texts";

const NAD = "NAD";
/** Modules of the programs that are not reference plugins. */
const MODULES: Readonly<Record<string, string>> = { [SHIM]: "gopkg.in/k8snetworkplumbingwg/multus-cni.v4", sriov: "github.com/k8snetworkplumbingwg/sriov-cni" };
const REFERENCE_MODULE = "github.com/containernetworking/plugins";

/** Every program of the bin dir, and those that somebody asks for in vain. `nadPluginTypes`: what network attachments ask for. */
export function binaries(node: NodeModel, dir: ConfDir, nadPluginTypes: readonly string[]): NonNullable<LaterParts["binaries"]> {
  const wanted = new Map<string, string[]>();
  const add = (type: string, by: string): void => {
    const before = wanted.get(type);
    if (before === undefined) wanted.set(type, [by]);
    else if (!before.includes(by)) before.push(by);
  };
  for (const { name, config } of dir.files) if (config.usable) for (const type of [...config.pluginTypes, ...config.delegateTypes]) add(type, name);
  for (const type of nadPluginTypes) add(type, NAD);
  const there = [...node.files.bin].map(([type, program]): BinaryReading => ({ ...reading(type, program), wantedBy: wanted.get(type) ?? [] }));
  const absent = [...wanted].filter(([type]) => !node.files.bin.has(type)).map(([type, wantedBy]): BinaryReading => ({ type, problem: "absent", wantedBy }));
  const items = [...absent, ...there].sort((a, b) => Number(b.wantedBy.length > 0) - Number(a.wantedBy.length > 0) || (a.type < b.type ? -1 : 1));
  return { looked: true, items };
}

function reading(type: string, program: ProgramRecord): Omit<BinaryReading, "wantedBy"> {
  const { sizeBytes, modifiedMs, architecture, version } = program;
  const problem = problemOf(program);
  return {
    type,
    dir: BIN_DIR,
    sizeBytes,
    modifiedMs: Math.round(modifiedMs),
    ...(sizeBytes === 0 ? {} : { architecture, version: `${MODULES[type] ?? REFERENCE_MODULE} v${version}` }),
    sha256: digest(sizeBytes === 0 ? "" : `${type} ${version} ${architecture}`),
    ...(problem === undefined ? {} : { problem }),
  };
}

function problemOf({ sizeBytes, executable, architecture }: ProgramRecord): BinaryProblem | undefined {
  if (sizeBytes === 0) return "empty";
  if (!executable) return "not-executable";
  return architecture === NODE_ARCHITECTURE ? undefined : "wrong-architecture";
}

const digests = new Map<string, string>();
/** The same program has the same digest on every node. */
function digest(content: string): string {
  const known = digests.get(content);
  if (known !== undefined) return known;
  const made = createHash("sha256").update(content).digest("hex");
  digests.set(content, made);
  return made;
}
