import { load } from "js-yaml";
import { record } from "../objects/resources";
import { ApiError, badRequest } from "./status";

/** The key by which a strategic merge tells the items of a list apart; lists that are not here are replaced whole. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  env: "name",
  volumes: "name",
  volumeMounts: "mountPath",
  ports: "containerPort",
  conditions: "type",
  ownerReferences: "uid",
  taints: "key",
  addresses: "type",
  imagePullSecrets: "name",
};
const MAX_OPERATIONS = 1_000;
const MAX_DEPTH = 64;
const FORBIDDEN = new Set(["__proto__", "constructor", "prototype"]);

/** Applies a patch of the given content type; never changes `target`. */
export function applyPatch(contentType: string, target: unknown, body: string): unknown {
  const type = contentType.split(";")[0]?.trim() ?? "";
  switch (type) {
    case "application/json-patch+json":
      return jsonPatch(target, parse(body));
    case "application/merge-patch+json":
      return mergePatch(target, parse(body), 0);
    case "application/strategic-merge-patch+json":
      return strategic(target, parse(body), 0);
    case "application/apply-patch+yaml":
    case "application/apply-patch+cbor":
      return strategic(target, parseYaml(body), 0);
    default:
      throw new ApiError(415, "UnsupportedMediaType", `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml`);
  }
}

export function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseYaml(body: string): unknown {
  try {
    return load(body);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

function mergePatch(target: unknown, patch: unknown, depth: number): unknown {
  checkDepth(depth);
  if (!isObject(patch)) return patch;
  const result = { ...record(target) };
  for (const [key, value] of Object.entries(patch)) {
    if (FORBIDDEN.has(key)) continue;
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = mergePatch(result[key], value, depth + 1);
  }
  return result;
}

function strategic(target: unknown, patch: unknown, depth: number, field = ""): unknown {
  checkDepth(depth);
  if (Array.isArray(patch)) return strategicList(target, patch, depth, field);
  if (!isObject(patch)) return patch;
  if (patch["$patch"] === "replace") return withoutDirectives(patch);
  const result = { ...record(target) };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$") || FORBIDDEN.has(key)) continue;
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = strategic(result[key], value, depth + 1, key);
  }
  return result;
}

function strategicList(target: unknown, patch: readonly unknown[], depth: number, field: string): unknown {
  const key = MERGE_KEYS[field];
  if (key === undefined || !Array.isArray(target)) return patch.filter((item) => record(item)["$patch"] !== "delete").map(withoutDirectives);
  const result: unknown[] = [...(target as readonly unknown[])]; // an array, just checked
  for (const item of patch) {
    const id = record(item)[key];
    if (isObject(item) && id === undefined && item["$patch"] === undefined) throw badRequest(`map: ${JSON.stringify(item).slice(0, 200)} does not contain declared merge key: ${key}`);
    const at = result.findIndex((existing) => record(existing)[key] === id);
    if (record(item)["$patch"] === "delete") {
      if (at >= 0) result.splice(at, 1);
    } else if (at >= 0) result[at] = strategic(result[at], item, depth + 1);
    else result.push(withoutDirectives(item));
  }
  return result;
}

const withoutDirectives = (item: unknown): unknown => (isObject(item) ? Object.fromEntries(Object.entries(item).filter(([key]) => !key.startsWith("$"))) : item);

function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest("error decoding patch: json patch must be a list of operations");
  if (patch.length > MAX_OPERATIONS) throw new ApiError(413, "RequestEntityTooLarge", `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`);
  let document: unknown = structuredClone(target);
  for (const raw of patch) {
    const operation = record(raw);
    const path = pointer(String(operation["path"] ?? ""));
    switch (operation["op"]) {
      case "add":
        document = put(document, path, operation["value"], "add");
        break;
      case "replace":
        if (read(document, path) === undefined) throw failed(`replace operation does not apply: doc is missing key: ${String(operation["path"])}`);
        document = put(document, path, operation["value"], "replace");
        break;
      case "remove":
        document = remove(document, path);
        break;
      case "test":
        if (JSON.stringify(read(document, path)) !== JSON.stringify(operation["value"])) throw failed(`testing value ${String(operation["path"])} failed: test failed`);
        break;
      default:
        throw badRequest(`error decoding patch: unexpected kind: ${String(operation["op"])}`);
    }
  }
  return document;
}

const failed = (message: string): ApiError => new ApiError(422, "Invalid", `the server rejected our request due to an error in our request: ${message}`);
const pointer = (path: string): string[] => (path === "" ? [] : path.slice(1).split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")));

function read(document: unknown, path: readonly string[]): unknown {
  let value: unknown = document;
  for (const key of path) value = Array.isArray(value) ? (value as readonly unknown[])[Number(key)] : FORBIDDEN.has(key) ? undefined : record(value)[key];
  return value;
}

function put(document: unknown, path: readonly string[], value: unknown, mode: "add" | "replace"): unknown {
  const [last, parent] = ends(document, path);
  if (last === undefined) return value;
  if (Array.isArray(parent)) {
    const at = last === "-" ? parent.length : Number(last);
    if (!Number.isInteger(at) || at < 0 || at > parent.length) throw failed(`${mode} operation does not apply: index ${last} is out of bounds`);
    parent.splice(at, mode === "add" ? 0 : 1, value);
  } else if (isObject(parent) && !FORBIDDEN.has(last)) parent[last] = value;
  else throw failed(`${mode} operation does not apply: doc is missing path: /${path.join("/")}`);
  return document;
}

function remove(document: unknown, path: readonly string[]): unknown {
  const [last, parent] = ends(document, path);
  if (last === undefined || read(document, path) === undefined) throw failed(`remove operation does not apply: doc is missing path: /${path.join("/")}`);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isObject(parent)) Reflect.deleteProperty(parent, last);
  return document;
}

const ends = (document: unknown, path: readonly string[]): [string | undefined, unknown] => [path.at(-1), read(document, path.slice(0, -1))];

function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw badRequest(`the patch is nested deeper than ${MAX_DEPTH}`);
}
