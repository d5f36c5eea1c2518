import { z } from "zod";
import type { NadFacts } from "../../../domain/model";
import { parseNamespace, parseObjectName } from "../../../domain/ids";
import { cleanText } from "../text";
import type { Lenient } from "./fields";

const MAX_CONFIG_CHARS = 256 * 1024;
const MAX_TYPES = 50;
const MAX_TYPE_CHARS = 253;

export interface NadProjection extends NadFacts {
  /** "namespace/name" */
  readonly key: string;
}

export function nadProjection({ optional }: Lenient, onDrop: () => void) {
  const schema = z.object({ metadata: z.object({ name: z.string(), namespace: z.string() }), spec: optional(z.object({ config: optional(z.string().max(MAX_CONFIG_CHARS)) })) });
  return (raw: unknown): NadProjection | undefined => {
    const parsed = schema.safeParse(raw);
    if (!parsed.success) return undefined;
    const namespace = parseNamespace(parsed.data.metadata.namespace);
    const name = parseObjectName(parsed.data.metadata.name);
    if (namespace === undefined || name === undefined) return undefined;
    return { key: `${namespace}/${name}`, ...factsOf(parsed.data.spec?.config, onDrop) };
  };
}

function factsOf(config: string | undefined, onDrop: () => void): NadFacts {
  if (config === undefined || config.trim() === "") return { pluginTypes: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(config);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    onDrop();
    return { pluginTypes: [], problem: "its config is not JSON" };
  }
  const field = (value: unknown, name: string): unknown => (typeof value === "object" && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined); // `in` has just checked it
  const plugins = field(parsed, "plugins");
  const types = [parsed, ...(Array.isArray(plugins) ? plugins.slice(0, MAX_TYPES) : [])].flatMap((plugin) => [field(plugin, "type"), field(field(plugin, "ipam"), "type")]);
  const pluginTypes = [...new Set(types.filter((type) => typeof type === "string" && type !== "").map((type) => cleanText(String(type), MAX_TYPE_CHARS)))].slice(0, MAX_TYPES);
  return { pluginTypes, ...(pluginTypes.length === 0 ? { problem: "its config names no plugin" } : {}) };
}
