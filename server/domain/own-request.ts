import { MAX_ERROR_TEXT_CHARS } from "./pod-trail";

/**
 * Whether the text of a failed sandbox names what the pod itself asked for, rather than the node. `undecided` counts
 * against the node: a text that cannot be read must not hide a sick one.
 */
export type RequestReading =
  | { readonly verdict: "own-request"; readonly because: string }
  | { readonly verdict: "not"; readonly because: string }
  | { readonly verdict: "undecided" };

/** What the reader may compare the text with. */
export interface RequestContext {
  /** The pod's annotation k8s.v1.cni.cncf.io/networks, if any. */
  readonly networks?: string;
  /** Plugin types that any NAD of the cluster names. */
  readonly nadPluginTypes: ReadonlySet<string>;
  /** Plugin types of the conflist that the node's runtime uses, where an agent told them. */
  readonly effectivePluginTypes?: readonly string[];
}

const UNDECIDED: RequestReading = { verdict: "undecided" };
const own = (because: string): RequestReading => ({ verdict: "own-request", because });
const not = (because: string): RequestReading => ({ verdict: "not", because });

/** What multus says while it reads the pod's own annotation or the pod's own NADs. */
const UNREADABLE_REQUESTS: readonly (readonly [marker: string, because: string])[] = [
  ["err in getCNIConfigFromSpec", "The config of a network attachment that it asks for cannot be parsed"],
  ["err in getCNIConfigFromFile", "A network attachment that it asks for names a config that is not on the node"],
  ["parsePodNetworkObjectName:", "Its list of networks cannot be parsed"],
  ["parsePodNetworkAnnotation:", "Its list of networks cannot be parsed"],
  ["namespace isolation enabled, annotation violates permission", "It asks for a network attachment of a namespace that it may not use"],
];

/** SR-IOV and host-device plugins that look for the device which the pod was given. */
const DEVICE_MARKERS: readonly string[] = [
  "VF pci addr is required",
  "failed to get VF information",
  "does not have a interface name or a dpdk driver",
  "failed to detect if VF",
  "failed to find host device",
  "failed to find physical interface",
  "no net directory under pci device",
];

/** Types that hand the default network to a conflist of their own: their own name says nothing of the plugins behind. */
const DELEGATING_TYPES: ReadonlySet<string> = new Set(["multus", "multus-shim"]);

/**
 * Reads one sandbox error. Looks for fixed marks only, so the time grows with the text's length and nothing else; text
 * beyond MAX_ERROR_TEXT_CHARS is not read.
 */
export function readSandboxError(text: string, context: RequestContext): RequestReading {
  const body = withoutStdin(text.slice(0, MAX_ERROR_TEXT_CHARS));
  if (has(body, "GetDefaultNetworks:") || has(body, "failed to get clusterNetwork/defaultNetworks")) return not("Multus cannot load the node's default network");
  if (has(body, "cni plugin not initialized") || has(body, "cni config not initialized")) return not("The runtime has no CNI config");

  const nad = missingAttachment(body);
  if (nad !== undefined) return nad;
  for (const [marker, because] of UNREADABLE_REQUESTS) if (has(body, marker)) return own(because);
  const handler = between(body, "no runtime for ", " is configured");
  if (handler !== undefined) return own(`It asks for the runtime handler ${handler}, which this node's runtime does not have`);

  const plugin = missingPlugin(body);
  if (plugin !== undefined) return pluginReading(body, plugin, context);
  if (context.networks !== undefined && DEVICE_MARKERS.some((marker) => has(body, marker))) {
    const network = networkOf(body, body.length);
    return own(`The device for ${network === undefined ? "a network that it asks for" : `network ${quoted(network)}`} is not there`);
  }
  if (asksFor(context, networkOf(body, body.length)) && has(body, "error converting the raw bytes into a conflist")) return own("The config of a network attachment that it asks for cannot be parsed");
  return UNDECIDED;
}

/**
 * A plugin that is not on the node is the pod's own request only where the default network does not need it too: the
 * text names the pod's own network, or only NADs name the type and the plugins of the default network are known.
 */
function pluginReading(body: string, plugin: { readonly type: string; readonly at: number }, context: RequestContext): RequestReading {
  const network = networkOf(body, plugin.at);
  const because = `Plugin ${quoted(plugin.type)}, which a network that it asks for needs, is not on this node`;
  if (context.effectivePluginTypes?.includes(plugin.type)) return not(`Plugin ${quoted(plugin.type)} of the node's own conflist is missing`);
  if (network === undefined && context.networks === undefined) return not(`Plugin ${quoted(plugin.type)} is missing, and the pod asks for no network of its own`);
  if (asksFor(context, network)) return own(because);
  const defaultIsKnown = context.effectivePluginTypes?.some((type) => !DELEGATING_TYPES.has(type)) ?? false;
  return context.networks !== undefined && defaultIsKnown && context.nadPluginTypes.has(plugin.type) ? own(because) : UNDECIDED;
}

/** "cannot find a network-attachment-definition (N) in namespace (S): why": only a why that says it is missing counts. */
function missingAttachment(body: string): RequestReading | undefined {
  const mark = "cannot find a network-attachment-definition (";
  const at = body.indexOf(mark);
  if (at < 0) return undefined;
  const name = upTo(body, at + mark.length, ")");
  const why = body.slice(at);
  // The CRD's own absence reads "could not find the requested resource".
  if (has(why, "not found") || has(why, "could not find the requested resource")) return own(`Network attachment ${quoted(name)} does not exist`);
  return not(`Multus could not look up network attachment ${quoted(name)}`);
}

function missingPlugin(body: string): { readonly type: string; readonly at: number } | undefined {
  const mark = "failed to find plugin ";
  const at = body.indexOf(mark);
  if (at < 0) return undefined;
  const start = at + mark.length;
  const type = body.startsWith('"', start) ? upTo(body, start + 1, '"') : upTo(body, start, " ");
  return type === "" ? undefined : { type, at };
}

/** The network whose ADD failed: the innermost one named before `end`. */
function networkOf(body: string, end: number): string | undefined {
  const mark = 'error adding container to network "';
  const at = body.lastIndexOf(mark, end);
  if (at < 0) return undefined;
  const name = upTo(body, at + mark.length, '"');
  return name === "" ? undefined : name;
}

function asksFor(context: RequestContext, network: string | undefined): boolean {
  return network !== undefined && context.networks !== undefined && requestedNetworks(context.networks).has(network);
}

/** Longest annotation that is read. */
const MAX_NETWORKS_CHARS = 16_384;

export interface RequestedAttachment {
  /** Absent: the pod's own. */
  readonly namespace?: string;
  readonly name: string;
}

/**
 * What a pod's list of networks names, in both forms that Kubernetes' network plumbing group allows ("ns/name@eth1, other" and
 * a JSON list). Empty where it cannot be read.
 */
export function requestedAttachments(annotation: string): readonly RequestedAttachment[] {
  const text = annotation.slice(0, MAX_NETWORKS_CHARS).trim();
  const found: RequestedAttachment[] = [];
  const add = (namespace: string | undefined, name: string): void => {
    if (name !== "") found.push(namespace === undefined || namespace === "" ? { name } : { namespace, name });
  };
  if (text.startsWith("[")) {
    for (const item of jsonList(text)) if (isNamed(item)) add(typeof item.namespace === "string" ? item.namespace : undefined, item.name);
    return found;
  }
  for (const part of text.split(",")) {
    const [path = ""] = part.trim().split("@");
    const slash = path.indexOf("/");
    if (slash < 0) add(undefined, path);
    else add(path.slice(0, slash), path.slice(slash + 1));
  }
  return found;
}

/** The same as names, each with and without its namespace. */
export function requestedNetworks(annotation: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { namespace, name } of requestedAttachments(annotation)) {
    names.add(name);
    if (namespace !== undefined) names.add(`${namespace}/${name}`);
  }
  return names;
}

function jsonList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    // A list that nobody can parse names no network; multus says the same in its own error.
    return [];
  }
}

const isNamed = (item: unknown): item is { readonly name: string; readonly namespace?: unknown } =>
  typeof item === "object" && item !== null && "name" in item && typeof item.name === "string";

const has = (text: string, mark: string): boolean => text.includes(mark);
const quoted = (name: string): string => `"${name}"`;

/** Longest name that is taken out of a text. */
const MAX_NAME_TAKEN_CHARS = 253;

function upTo(text: string, start: number, end: string): string {
  const at = text.indexOf(end, start);
  return text.slice(start, at < 0 ? undefined : at).slice(0, MAX_NAME_TAKEN_CHARS);
}

function between(text: string, before: string, after: string): string | undefined {
  const start = text.indexOf(before);
  if (start < 0) return undefined;
  const end = text.indexOf(after, start + before.length);
  if (end < 0) return undefined;
  return text.slice(start + before.length, end).slice(0, MAX_NAME_TAKEN_CHARS);
}

/** The shim puts the whole config behind its error; what the config says is not what went wrong. */
function withoutStdin(text: string): string {
  const at = text.indexOf("StdinData:");
  return at < 0 ? text : text.slice(0, at);
}
