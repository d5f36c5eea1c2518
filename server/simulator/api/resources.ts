/** The kinds that this API server knows; discovery, paths and access checks read this one table. */
export interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources?: readonly string[];
  /** Watches of it get bookmarks. The real server keeps no watch cache of events. */
  readonly bookmarks: boolean;
}

const READ = ["get", "list", "watch"] as const;
const WRITE = ["create", "delete", "get", "list", "patch", "update", "watch"] as const;

const one = (group: string, version: string, resource: string, kind: string, namespaced: boolean, verbs: readonly string[], subresources: readonly string[] = []): ResourceInfo => ({
  group,
  version,
  resource,
  singular: kind.toLowerCase(),
  kind,
  namespaced,
  verbs,
  subresources,
  bookmarks: resource !== "events",
});

export const RESOURCES: readonly ResourceInfo[] = [
  one("", "v1", "namespaces", "Namespace", false, READ),
  one("", "v1", "nodes", "Node", false, ["get", "list", "patch", "update", "watch"], ["proxy", "status"]),
  one("", "v1", "pods", "Pod", true, ["create", "delete", "deletecollection", "get", "list", "patch", "watch"], ["eviction", "resize", "status"]),
  one("", "v1", "events", "Event", true, READ),
  one("", "v1", "configmaps", "ConfigMap", true, WRITE),
  one("apps", "v1", "daemonsets", "DaemonSet", true, ["get", "list", "patch", "update", "watch"], ["status"]),
  one("apps", "v1", "controllerrevisions", "ControllerRevision", true, READ),
  one("apps", "v1", "deployments", "Deployment", true, READ),
  one("apps", "v1", "replicasets", "ReplicaSet", true, READ),
  one("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true, WRITE),
  one("k8s.cni.cncf.io", "v1", "network-attachment-definitions", "NetworkAttachmentDefinition", true, WRITE),
];

export const resourceKey = (group: string, resource: string): string => `${group}/${resource}`;
const BY_PATH = new Map(RESOURCES.map((r) => [`${r.group}/${r.version}/${r.resource}`, r]));

export interface ResourcePath {
  readonly info: ResourceInfo;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** What follows nodes/NAME/proxy, with its slash. */
  readonly rest: string;
}

/** `/api/v1/…` and `/apis/GROUP/VERSION/…`; `undefined` where no kind is meant. Takes decoded segments. */
export function parsePath(segments: readonly string[]): ResourcePath | undefined {
  const core = segments[0] === "api";
  if (!core && segments[0] !== "apis") return undefined;
  const group = core ? "" : (segments[1] ?? "");
  const version = segments[core ? 1 : 2] ?? "";
  let rest = segments.slice(core ? 2 : 3);
  let namespace: string | undefined;
  // `namespaces/X` alone is the namespace itself.
  if (rest[0] === "namespaces" && rest.length > 2) {
    namespace = rest[1];
    rest = rest.slice(2);
  }
  const info = BY_PATH.get(`${group}/${version}/${rest[0] ?? ""}`);
  if (info === undefined || (namespace !== undefined && !info.namespaced)) return undefined;
  const [, name, subresource, ...more] = rest;
  if (subresource !== undefined && info.subresources?.includes(subresource) !== true) return undefined;
  if (more.length > 0 && subresource !== "proxy") return undefined;
  if (name !== undefined && info.namespaced && namespace === undefined) return undefined;
  return { info, namespace, name, subresource, rest: `/${more.join("/")}` };
}

/** Discovery documents, oldest form: every client still understands it. */
export function discovery(segments: readonly string[]): Record<string, unknown> | undefined {
  const path = segments.join("/");
  if (path === "api") return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] };
  const groups = [...new Set(RESOURCES.map((r) => r.group).filter((g) => g !== ""))];
  if (path === "apis") return { kind: "APIGroupList", apiVersion: "v1", groups: [...groups.map(groupDocument), ...REVIEW_GROUPS.map(groupDocument)] };
  if (segments.length === 2 && segments[0] === "apis") return [...groups, ...REVIEW_GROUPS].includes(segments[1] ?? "") ? { kind: "APIGroup", apiVersion: "v1", ...groupDocument(segments[1] ?? "") } : undefined;
  const group = segments[0] === "api" && segments.length === 2 ? "" : segments[0] === "apis" && segments.length === 3 ? segments[1] : undefined;
  const version = segments.at(-1) ?? "";
  if (group === undefined || version !== "v1") return undefined;
  const resources = RESOURCES.filter((r) => r.group === group).flatMap(resourceDocuments);
  if (resources.length === 0 && !REVIEW_GROUPS.includes(group)) return undefined;
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: group === "" ? "v1" : `${group}/v1`, resources };
}

const REVIEW_GROUPS = ["authentication.k8s.io", "authorization.k8s.io"];
const groupDocument = (name: string): Record<string, unknown> => ({ name, versions: [{ groupVersion: `${name}/v1`, version: "v1" }], preferredVersion: { groupVersion: `${name}/v1`, version: "v1" } });
const resourceDocuments = (r: ResourceInfo): Record<string, unknown>[] => [
  { name: r.resource, singularName: r.singular, namespaced: r.namespaced, kind: r.kind, verbs: r.verbs },
  ...(r.subresources ?? []).map((sub) => ({ name: `${r.resource}/${sub}`, singularName: "", namespaced: r.namespaced, kind: r.kind, verbs: sub === "eviction" ? ["create"] : sub === "proxy" ? ["get"] : ["get", "patch", "update"] })),
];
