import { createHash } from "node:crypto";
import { z } from "zod";
import { nameText } from "../bounds";

/** The network configs by which the runtime works, as it tells them itself. */
export interface LoadedConfigs {
  /** When it told them. */
  readonly toldMs: number;
  /** Without its own loopback. */
  readonly networks: readonly LoadedNetwork[];
}

export interface LoadedNetwork {
  readonly name: string;
  /** Digests of what it may have been loaded from: a list, or a file of one plugin. */
  readonly digests: readonly string[];
}

const MAX_NETWORKS = 16;
const MAX_PLUGINS = 64;
const MAX_DEEP = 64;
/** containerd makes this one by itself, from no file. */
const LOOPBACK = "cni-loopback";

const Plugin = z.object({ Source: z.string() });
const Network = z.object({ Config: z.object({ Name: z.string(), Source: z.string(), Plugins: z.array(Plugin).max(MAX_PLUGINS) }) });
const Told = z.object({ Networks: z.array(Network).max(MAX_NETWORKS) });

/** Reads what containerd's verbose status has under "cniconfig"; undefined where it is not what is known of it. Only digests are kept: configs may hold secrets. */
export function loadedConfigs(text: string, toldMs: number): LoadedConfigs | undefined {
  const told = Told.safeParse(parsed(text));
  if (!told.success) return undefined;
  const networks = told.data.Networks.filter(({ Config: { Name } }) => Name !== LOOPBACK).map(({ Config: { Name, Source, Plugins } }) => ({
    name: nameText(Name),
    digests: [Source, ...(Plugins.length === 1 ? Plugins.map((plugin) => plugin.Source) : [])].flatMap((source) => configDigest(parsed(source)) ?? []),
  }));
  return { toldMs, networks };
}

/** Of what a config says, however it is spaced and in whatever order; undefined of what is nested beyond all configs, or no JSON. */
export function configDigest(json: unknown): string | undefined {
  const text = json === undefined ? undefined : inOrder(json, 0);
  return text === undefined ? undefined : createHash("sha256").update(text).digest("hex");
}

function inOrder(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (depth >= MAX_DEEP) return undefined;
  const inner: string[] = [];
  const entries = Array.isArray(value) ? value.map((one: unknown) => ["", one] as const) : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, one] of entries) {
    const text = inOrder(one, depth + 1);
    if (text === undefined) return undefined;
    inner.push(Array.isArray(value) ? text : `${JSON.stringify(key)}:${text}`);
  }
  return Array.isArray(value) ? `[${inner.join()}]` : `{${inner.join()}}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
