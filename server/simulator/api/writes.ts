import { randomUUID } from "node:crypto";
import { z } from "zod";
import { iso, type KubeObject } from "../objects/json";
import { record } from "../objects/resources";
import type { ClusterBridge } from "./bridge";
import { applyPatch } from "./patch";
import { resourceKey, type ResourcePath } from "./resources";
import { labelSelector, type Selector } from "./selectors";
import { ApiError, badRequest, conflict, invalid, notFound, success } from "./status";
import { objectKey } from "./store";

export interface WriteRequest {
  readonly path: ResourcePath;
  readonly contentType: string;
  readonly body: string;
  readonly dryRun: boolean;
}

const DeleteOptions = z.object({ gracePeriodSeconds: z.number().int().min(0).optional(), preconditions: z.object({ uid: z.string().optional(), resourceVersion: z.string().optional() }).optional(), dryRun: z.array(z.string()).optional() });
const Object_ = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({ name: z.string().optional(), generateName: z.string().optional(), namespace: z.string().optional() }) });
const Eviction = z.object({ metadata: z.object({ name: z.string().optional() }).optional(), deleteOptions: DeleteOptions.optional() });
const SUFFIX_CHARS = 5;
const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";

/** What changes an object; each gives the HTTP code and the answer's body. */
export class Writes {
  constructor(private readonly bridge: ClusterBridge) {}

  patch({ path, contentType, body, dryRun }: WriteRequest): KubeObject {
    const { info, name = "" } = path;
    const before = this.find(path);
    const next = asObject(applyPatch(contentType, before, body));
    return this.store(path, before, sameIdentity(info.resource, name, before, next), dryRun);
  }

  replace({ path, body, dryRun }: WriteRequest): KubeObject {
    const { info, name = "" } = path;
    const before = this.find(path);
    const next = asObject(readJson(body));
    if (next.metadata.name !== name) throw badRequest(`the name of the object (${next.metadata.name}) does not match the name on the URL (${name})`);
    const { resourceVersion = before.metadata.resourceVersion, uid = before.metadata.uid } = next.metadata;
    return this.store(path, before, sameIdentity(info.resource, name, before, { ...next, metadata: { ...before.metadata, ...next.metadata, uid, resourceVersion: resourceVersion ?? "" } }), dryRun);
  }

  create({ path, body, dryRun }: WriteRequest): KubeObject {
    const { info, namespace } = path;
    const parsed = Object_.safeParse(readJson(body));
    if (!parsed.success) throw badRequest(parsed.error.issues.map((issue) => `${issue.path.map(String).join(".")}: ${issue.message}`).join("; "));
    const { metadata } = parsed.data;
    const name = metadata.name ?? (metadata.generateName === undefined ? undefined : `${metadata.generateName}${randomUUID().slice(0, SUFFIX_CHARS)}`);
    if (name === undefined) throw new ApiError(422, "Invalid", `${info.kind} "" is invalid: metadata.name: Required value: name or generateName is required`);
    const key = resourceKey(info.group, info.resource);
    if (this.bridge.store.get(key, objectKey(namespace, name)) !== undefined) throw new ApiError(409, "AlreadyExists", `${info.resource} "${name}" already exists`, { name, kind: info.resource });
    const { namespace: _, ...own } = metadata;
    const object: KubeObject = { ...parsed.data, metadata: { ...own, name, ...(namespace === undefined ? {} : { namespace }), uid: randomUUID(), creationTimestamp: iso(this.bridge.model.nowMs) } };
    if (dryRun) return object;
    return info.resource === "pods" ? this.bridge.createPod(object) : this.bridge.store.put(key, object);
  }

  delete({ path, body, dryRun }: WriteRequest, query: URLSearchParams): unknown {
    const { info, namespace, name = "" } = path;
    const before = this.find(path);
    const options = body === "" ? {} : parsedOptions(body);
    this.precondition(info.resource, before, options.preconditions);
    const grace = options.gracePeriodSeconds ?? readGrace(query.get("gracePeriodSeconds"));
    const dry = dryRun || options.dryRun?.includes("All") === true;
    if (info.resource === "pods" && namespace !== undefined) return dry ? before : this.bridge.deletePod(namespace, name, grace);
    if (!dry) this.bridge.store.remove(resourceKey(info.group, info.resource), objectKey(namespace, name));
    return success({ name, kind: info.resource, uid: before.metadata.uid });
  }

  /** Every object of the list that the selectors match. */
  deleteAll({ path, dryRun }: WriteRequest, matching: Selector): unknown {
    const { info, namespace } = path;
    const items = this.bridge.store.list(resourceKey(info.group, info.resource)).filter((o) => (namespace === undefined || o.metadata.namespace === namespace) && matching(o));
    if (!dryRun) for (const item of items) this.bridge.deletePod(item.metadata.namespace ?? "", item.metadata.name, undefined);
    return { kind: `${info.kind}List`, apiVersion: "v1", metadata: { resourceVersion: String(this.bridge.store.currentVersion) }, items };
  }

  /** A budget that has no room refuses with 429, as the real server does. */
  evict({ path, body, dryRun }: WriteRequest): unknown {
    const { namespace = "", name = "" } = path;
    const before = this.find({ ...path, subresource: undefined });
    const parsed = Eviction.safeParse(readJson(body));
    if (!parsed.success) throw badRequest("the body is no Eviction");
    const options = parsed.data.deleteOptions;
    this.precondition("pods", before, options?.preconditions);
    const budget = this.bridge.store.list("policy/poddisruptionbudgets").find((o) => o.metadata.namespace === namespace && matchesBudget(o, before));
    if (budget !== undefined && Number(record(budget["status"])["disruptionsAllowed"]) < 1) {
      const message = `The disruption budget ${budget.metadata.name} needs ${String(record(budget["status"])["desiredHealthy"])} healthy pods and has ${String(record(budget["status"])["currentHealthy"])} currently`;
      throw new ApiError(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", { causes: [{ reason: "DisruptionBudget", message }] });
    }
    if (!dryRun && options?.dryRun?.includes("All") !== true) this.bridge.deletePod(namespace, name, options?.gracePeriodSeconds);
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  }

  resize({ path, contentType, body, dryRun }: WriteRequest): KubeObject {
    const { namespace = "", name = "" } = path;
    const before = this.find({ ...path, subresource: undefined });
    const next = sameIdentity("pods", name, before, asObject(applyPatch(contentType, before, body)));
    return dryRun ? next : this.bridge.resizePod(namespace, name, next);
  }

  private find({ info, namespace, name = "" }: ResourcePath): KubeObject {
    const found = this.bridge.store.get(resourceKey(info.group, info.resource), objectKey(namespace, name));
    if (found === undefined) throw notFound(info.resource, name, info.group);
    return found;
  }

  private store({ info, name = "", subresource }: ResourcePath, before: KubeObject, next: KubeObject, dryRun: boolean): KubeObject {
    const key = resourceKey(info.group, info.resource);
    if (subresource === "status") throw new ApiError(403, "Forbidden", `${info.resource} "${name}" is forbidden: the status is written by the simulated cluster itself`);
    this.bridge.check(key, name, next);
    if (info.resource === "pods" && JSON.stringify(before["spec"]) !== JSON.stringify(next["spec"])) {
      throw invalid("Pod", "", name, "spec", name, "pod updates may not change fields other than `spec.containers[*].image`, `spec.tolerations` (use the resize subresource for resources)");
    }
    const changed = JSON.stringify(before["spec"]) !== JSON.stringify(next["spec"]);
    const generation = Number(before.metadata["generation"] ?? 1) + (changed ? 1 : 0);
    const written = before.metadata["generation"] === undefined ? next : { ...next, metadata: { ...next.metadata, generation } };
    return dryRun ? written : this.bridge.written(key, before, written);
  }

  private precondition(resource: string, before: KubeObject, wanted: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined): void {
    const { uid, resourceVersion, name } = before.metadata;
    if (wanted?.uid !== undefined && wanted.uid !== uid) throw conflict(resource, name, `Precondition failed: UID in precondition: ${wanted.uid}, UID in object meta: ${uid}`);
    if (wanted?.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) throw conflict(resource, name, `Precondition failed: ResourceVersion in precondition: ${wanted.resourceVersion}, ResourceVersion in object meta: ${resourceVersion ?? ""}`);
  }
}

function sameIdentity(resource: string, name: string, before: KubeObject, next: KubeObject): KubeObject {
  const { metadata } = next;
  if (metadata.resourceVersion !== "" && metadata.resourceVersion !== before.metadata.resourceVersion) throw conflict(resource, name, MODIFIED);
  if (metadata.uid !== before.metadata.uid) throw conflict(resource, name, `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${before.metadata.uid}`);
  if (metadata.name !== before.metadata.name || metadata.namespace !== before.metadata.namespace) throw badRequest("the name of an object cannot be changed");
  return next;
}

function asObject(value: unknown): KubeObject {
  const parsed = Object_.safeParse(value);
  if (!parsed.success) throw badRequest("the result of the patch is no object with apiVersion, kind and metadata");
  return value as KubeObject; // its identity is compared with the stored object's at once
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parsedOptions(body: string): z.infer<typeof DeleteOptions> {
  const parsed = DeleteOptions.safeParse(readJson(body));
  if (!parsed.success) throw badRequest("the body is no DeleteOptions");
  return parsed.data;
}

function readGrace(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 0) throw badRequest(`gracePeriodSeconds: Invalid value: "${text}"`);
  return seconds;
}

function matchesBudget(budget: KubeObject, pod: KubeObject): boolean {
  const labels = record(record(record(budget["spec"])["selector"])["matchLabels"]);
  const terms = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return terms.length > 0 && labelSelector(terms.join(","))(pod);
}
