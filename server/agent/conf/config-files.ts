import type { ConfFile, ConfigFiles, LaterParts, MultusConfig } from "../../domain/agent-readings";
import type { AgentReport, RuntimeReading } from "../../domain/agent-report";
import { capText } from "../../domain/agent-report";
import { nameText, pathText, timeMs, told } from "../bounds";
import type { ConfDir } from "../config";
import { configDigest, type LoadedConfigs } from "./loaded";
import type { ConfFileRead } from "./read-dir";

export interface ConfigFilesReader {
  look(dir: ConfDir, runtime: RuntimeSays, multus: MultusConfig | undefined, nowMs: number): NonNullable<LaterParts["configFiles"]>;
}

/** The runtime's conditions, and where it tells them the configs by which it works. */
export interface RuntimeSays {
  readonly runtime: AgentReport["runtime"];
  readonly loaded?: LoadedConfigs;
}

/** A runtime that watches its folder loads what is written there at once. */
const LOADS_WITHIN_MS = 2_000;

/** Whether what the runtime last told of its configs is too old to say anything of this file. */
export const isOlder = (loaded: LoadedConfigs, file: ConfFileRead | undefined): boolean => file?.stamp !== undefined && loaded.toldMs < file.stamp.changedMs + LOADS_WITHIN_MS;

/** What containerd and CRI-O say while they have no config; a plugin that fails its own check makes the network not ready as well. */
const NO_CONFIG = /cni plugin not initialized|no cni configuration file/i;

/** Remembers since when the file that the runtime should have loaded is there. */
export function configFilesReader(): ConfigFilesReader {
  let usable: { readonly file: string; readonly sinceMs: number } | undefined;
  return {
    look: (dir, runtime, multus, nowMs) => {
      const effective = dir.files.find(({ name }) => name === dir.effectiveFile);
      // A file that is written or moved in anew gives the runtime a new chance to notice it.
      const file = effective === undefined ? undefined : `${dir.path}/${effective.name} ${effective.stamp?.key ?? ""}`;
      if (file === undefined) usable = undefined;
      else if (usable?.file !== file) usable = { file, sinceMs: Math.min(nowMs, effective?.stamp?.changedMs ?? nowMs) };
      const loading = effective === undefined || !runtime.runtime.looked ? {} : loadingOf(effective, runtime.runtime.reading, runtime.loaded);
      const reading: ConfigFiles = {
        dir: pathText(dir.path),
        files: dir.files.map(confFile),
        ...told({ truncated: dir.truncated }),
        ...loading,
        ...told({ usableSinceMs: usable === undefined ? undefined : timeMs(usable.sinceMs), multus }),
      };
      return { looked: true, reading };
    },
  };
}

/** That its network is ready says only that it works by some config; by which, containerd tells. */
function loadingOf(effective: ConfFileRead, reading: RuntimeReading, configs: LoadedConfigs | undefined): Pick<ConfigFiles, "loaded" | "loadedOther"> {
  const loaded = isLoaded(reading);
  const digest = loaded === true && configs !== undefined ? configDigest(effective.json) : undefined;
  if (configs === undefined || digest === undefined) return told({ loaded });
  if (configs.networks.some(({ digests }) => digests.includes(digest))) return { loaded: true };
  const [other] = configs.networks;
  return isOlder(configs, effective) || other === undefined ? {} : { loadedOther: other.name };
}

/** Undefined where the runtime's network is not ready for another reason than a missing config, or does not say. */
function isLoaded({ conditions }: RuntimeReading): boolean | undefined {
  const ready = conditions.find(({ type }) => type === "NetworkReady");
  if (ready === undefined) return undefined;
  return ready.status ? true : NO_CONFIG.test(ready.message) ? false : undefined;
}

function confFile({ name, config, stamp }: ConfFileRead): ConfFile {
  return {
    name: nameText(name),
    usable: config.usable,
    pluginTypes: config.usable ? config.pluginTypes : [],
    ...(config.usable ? told({ networkName: config.networkName, cniVersion: config.cniVersion }) : { problem: capText(config.problem) }),
    ...told({ modifiedMs: stamp === undefined ? undefined : timeMs(stamp.modifiedMs) }),
  };
}
