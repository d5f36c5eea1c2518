/** What one plugin of a network's chain is told. */
export interface PluginConf {
  readonly type: string;
  /** Only of a config that is a single plugin, or where a list says it for this one. */
  readonly name: string | undefined;
  /** The whole of its config. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface NetworkConf {
  readonly name: string;
  /** Empty where the config names none. */
  readonly cniVersion: string;
  readonly plugins: readonly PluginConf[];
  /** A list of plugins, as in a `.conflist`; errors of its plugins say which one failed. */
  readonly list: boolean;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** A config as libcni reads it, whether it is a list or one plugin; `undefined` where it cannot be used. */
export function parseNetworkConf(text: string): NetworkConf | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined; // what the runtime does with it is to load nothing
  }
  if (!isRecord(json)) return undefined;
  const list = Array.isArray(json["plugins"]);
  const items: readonly unknown[] = Array.isArray(json["plugins"]) ? (json["plugins"] as readonly unknown[]) : [json]; // an array, just checked
  const plugins = items.flatMap((item): PluginConf[] => {
    const type = isRecord(item) ? textOf(item["type"]) : undefined;
    return type === undefined || !isRecord(item) ? [] : [{ type, name: textOf(item["name"]), raw: item }];
  });
  const name = textOf(json["name"]) ?? (list ? undefined : plugins[0]?.type);
  if (name === undefined || plugins.length === 0 || plugins.length < items.length) return undefined;
  return { name, cniVersion: textOf(json["cniVersion"]) ?? "", plugins, list };
}

/** Where a plugin takes its addresses from. */
export interface IpamConf {
  readonly type: string;
  /** "10.244.3.0/24". */
  readonly subnet: string | undefined;
}

export function ipamOf({ raw }: PluginConf): IpamConf | undefined {
  const ipam = raw["ipam"];
  const type = isRecord(ipam) ? textOf(ipam["type"]) : undefined;
  if (!isRecord(ipam) || type === undefined) return undefined;
  const ranges: unknown = ipam["ranges"];
  const first: unknown = Array.isArray(ranges) && Array.isArray(ranges[0]) ? ranges[0][0] : undefined;
  return { type, subnet: textOf(ipam["subnet"]) ?? (isRecord(first) ? textOf(first["subnet"]) : undefined) };
}

export const settingOf = ({ raw }: PluginConf, key: string): string | undefined => textOf(raw[key]);
