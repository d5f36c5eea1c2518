import { z } from "zod";
import { MAX_PATH_CHARS, MAX_PLUGIN_TYPES, capText } from "../domain/agent-report";
import { SOCKET_KEYS, canonicalSocketPath, knownSocketFor } from "../domain/known-sockets";
import { nameText, told, wordText } from "./bounds";
import { jsonProblem, jsonProblemText } from "./conf/json-problem";

/** What one network config asks for, or why the runtime cannot use it. Pure. */
export type NetworkConfig = UsableConfig | { readonly usable: false; readonly problem: string };

export interface UsableConfig {
  readonly usable: true;
  readonly networkName?: string;
  readonly cniVersion?: string;
  readonly pluginTypes: readonly string[];
  readonly delegateTypes: readonly string[];
  readonly sockets: readonly string[];
  /** Which plugin calls which socket. */
  readonly callers: readonly { readonly type: string; readonly socket: string }[];
}

/** Depth to which a plugin's "delegate" keys are followed. */
const MAX_DELEGATES_DEEP = 4;
const MAX_SHOWN_PROBLEM_CHARS = 200;

const Plugin = z.looseObject({ type: z.string().min(1) });
const List = z.looseObject({ name: z.string().min(1), cniVersion: z.string().optional(), plugins: z.array(Plugin).min(1) });
const Single = z.looseObject({ type: z.string().min(1), name: z.string().optional(), cniVersion: z.string().optional() });
type Plugin = z.output<typeof Plugin>;

/** A name that a plugin binary can have; anything else cannot be looked up in a bin dir. */
const PLUGIN_TYPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
export const isPluginType = (text: string): boolean => PLUGIN_TYPE.test(text);

/**
 * Reads a file of a conf dir as libcni does: `.conflist` holds a list of plugins with a name, `.conf` and `.json` one plugin.
 */
export function parseNetworkConfig(fileName: string, text: string): NetworkConfig {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { usable: false, problem: notJson(text) }; // the parser's own words would quote the text
  }
  if (fileName.endsWith(".conflist")) {
    const list = List.safeParse(value);
    return list.success ? read(list.data.plugins, list.data) : { usable: false, problem: problemText(issueText(list.error)) };
  }
  const single = Single.safeParse(value);
  return single.success ? read([single.data], single.data) : { usable: false, problem: problemText(issueText(single.error)) };
}

/** Why a text is no JSON, with the place; nothing of the text itself. */
export function notJson(text: string): string {
  if (text.trim() === "") return "empty";
  const problem = jsonProblem(text);
  return problem === undefined ? "not JSON" : `not JSON: ${jsonProblemText(problem)}`;
}

const problemText = (problem: string): string => capText(problem.replace(/[^\x20-\x7e]/g, "?"), MAX_SHOWN_PROBLEM_CHARS);

function issueText(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? "not a network config" : `"${issue.path.join(".")}": ${issue.message}`;
}

function read(plugins: readonly Plugin[], { name, cniVersion }: { readonly name?: string | undefined; readonly cniVersion?: string | undefined }): NetworkConfig {
  const bad = plugins.find((plugin) => !isPluginType(plugin.type));
  if (bad !== undefined) return { usable: false, problem: problemText(`"${bad.type}" cannot be the name of a plugin`) };
  const ipam = plugins.flatMap((plugin) => typeIn(plugin["ipam"]));
  const delegates = plugins.flatMap((plugin) => delegatesOf(plugin, 0));
  const pluginTypes = unique([...plugins.map((plugin) => plugin.type), ...ipam]);
  const callers = plugins.flatMap((plugin) => socketsOf(plugin).map((path) => ({ type: plugin.type, socket: canonicalSocketPath(path) }))).slice(0, MAX_PLUGIN_TYPES);
  return {
    usable: true,
    ...told({ networkName: name === undefined ? undefined : nameText(name), cniVersion: cniVersion === undefined ? undefined : wordText(cniVersion) }),
    pluginTypes,
    delegateTypes: unique(delegates).filter((type) => !pluginTypes.includes(type)),
    sockets: unique(callers.map(({ socket }) => socket)),
    callers,
  };
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)].slice(0, MAX_PLUGIN_TYPES);

function typeIn(value: unknown): string[] {
  const plugin = Plugin.safeParse(value);
  return plugin.success && isPluginType(plugin.data.type) ? [plugin.data.type] : [];
}

/** `delegate` (flannel, daemon-backed plugins) and `delegates` (multus), with their IPAM and their own delegates. */
function delegatesOf(plugin: Plugin, depth: number): string[] {
  if (depth >= MAX_DELEGATES_DEEP) return [];
  const found = [plugin["delegate"], ...(Array.isArray(plugin["delegates"]) ? plugin["delegates"].slice(0, MAX_PLUGIN_TYPES) : [])];
  return found.flatMap((value: unknown) => {
    const inner = Plugin.safeParse(value);
    return inner.success ? [...typeIn(inner.data), ...typeIn(inner.data["ipam"]), ...delegatesOf(inner.data, depth + 1)] : [];
  });
}

/** Sockets that the plugin's own config names, else the one that its type is known to call. */
function socketsOf(plugin: Plugin): string[] {
  const known = knownSocketFor(plugin.type);
  const named = [
    ...(known?.pathKeys ?? SOCKET_KEYS).flatMap((key) => pathIn(plugin[key])),
    ...(known?.folderKeys ?? []).flatMap((key) => pathIn(plugin[key]).map((folder) => `${folder.replace(/\/+$/, "")}/${known?.path.split("/").at(-1) ?? ""}`)),
  ];
  return named.length > 0 || known === undefined ? named : [known.path];
}

function pathIn(value: unknown): string[] {
  const path = typeof value === "string" ? value.replace(/^unix:(\/\/)?/, "") : "";
  return path.startsWith("/") && !path.includes("\0") && path.length <= MAX_PATH_CHARS ? [path] : [];
}
