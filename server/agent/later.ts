import type { LaterParts } from "../domain/agent-readings";
import type { PushAnswer } from "../domain/agent-report";
import { binariesReader } from "./bin/binaries";
import { configChanges } from "./conf/changes";
import { configFilesReader } from "./conf/config-files";
import { multusReader } from "./conf/multus";
import type { ConfigLook } from "./config";
import type { HostFs } from "./host-fs";
import type { LookAtPart } from "./parts";
import type { RuntimeLook } from "./runtime";
import { cniOf } from "./whose-pod";

/** What the first parts of a round found, on which the later ones stand. */
export interface RoundSoFar {
  readonly atMs: number;
  readonly config: ConfigLook;
  readonly runtime: RuntimeLook;
}

export interface LaterReader {
  look(round: RoundSoFar): Promise<LaterParts>;
  told(answer: PushAnswer): void;
}

const NO_DIR = "the folder of network configs could not be looked at";
const blind = (reason: string) => ({ looked: false as const, reason });

/** The later parts of a report, each looked at by itself. Keeps between rounds what does not change. */
export function laterReader(fs: HostFs, part: LookAtPart, { once }: { readonly once: boolean }): LaterReader {
  const binaries = binariesReader(fs, once ? Number.POSITIVE_INFINITY : undefined); // who asks once wants all of it
  const configFiles = configFilesReader();
  const multus = multusReader(fs);
  const changes = configChanges();
  let wanted: Omit<PushAnswer, "version"> = {};

  const conf = async ({ atMs, config, runtime }: RoundSoFar): Promise<Pick<LaterParts, "configFiles" | "configChanges">> => {
    const { dir } = config;
    if (dir === undefined) return { configFiles: config.reading.looked ? blind(NO_DIR) : config.reading };
    const changed = changes.since(dir.path, dir.files, atMs);
    return {
      configFiles: await part("configFiles", async () => configFiles.look(dir, runtime.runtime, await multus.look(dir, podsOfCni(runtime, "multus")), atMs), blind),
      ...(changed.length === 0 ? {} : { configChanges: changed }),
    };
  };

  return {
    look: async (round) => {
      const { dir } = round.config;
      const [ofConf, ofBinaries] = await Promise.all([
        conf(round),
        dir === undefined ? blind(NO_DIR) : part("binaries", () => binaries.look(dir.binDirs, dir.files, wanted.nadPluginTypes ?? []), blind),
      ]);
      return { ...ofConf, binaries: ofBinaries };
    },
    told: ({ version: _, ...answer }) => {
      wanted = { ...wanted, ...answer };
    },
  };
}

/** Uids of the ready pods of one CNI's daemon, as far as the runtime's list and their names tell. */
const podsOfCni = ({ sandboxes }: RuntimeLook, cni: string): readonly string[] =>
  sandboxes.looked ? sandboxes.items.filter(({ ready, namespace, name }) => ready && cniOf(namespace, name, []) === cni).map(({ uid }) => uid) : [];
