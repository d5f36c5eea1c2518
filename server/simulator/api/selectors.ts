import type { KubeObject } from "../objects/json";
import { record } from "../objects/resources";
import { badRequest } from "./status";

export type Selector = (object: KubeObject) => boolean;

/** Fields by which each kind may be selected; the real server refuses all others. */
const ALWAYS = ["metadata.name", "metadata.namespace"];
const BY_RESOURCE: Readonly<Record<string, readonly string[]>> = {
  pods: ["spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.hostNetwork", "status.phase", "status.podIP"],
  nodes: ["spec.unschedulable"],
  events: ["involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type"],
  namespaces: ["status.phase"],
};
const MAX_TERMS = 100;

export function fieldSelector(resource: string, text: string): Selector {
  const allowed = new Set([...ALWAYS, ...(BY_RESOURCE[resource] ?? [])]);
  const terms = split(text).map((term) => {
    const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(term);
    const [, field, operator, value] = match ?? [];
    if (field === undefined || operator === undefined) throw badRequest(`unable to parse requirement: invalid selector: '${term}'; can't understand '${term}'`);
    if (!allowed.has(field)) throw badRequest(`field label not supported: ${field}`);
    return { path: field.split("."), wanted: operator !== "!=", value: value ?? "" };
  });
  return (object) => terms.every(({ path, wanted, value }) => (fieldText(object, path) === value) === wanted);
}

export function labelSelector(text: string): Selector {
  const terms = splitLabels(text).map(labelTerm);
  return (object) => terms.every((term) => term(object.metadata.labels ?? {}));
}

function labelTerm(term: string): (labels: Readonly<Record<string, string>>) => boolean {
  const set = /^\s*([\w./-]+)\s+(in|notin)\s+\(([^)]*)\)\s*$/.exec(term);
  if (set !== null) {
    const [, key = "", operator, list = ""] = set;
    const values = new Set(list.split(",").map((v) => v.trim()));
    return operator === "in" ? (labels) => values.has(labels[key] ?? "\0") : (labels) => !values.has(labels[key] ?? "\0");
  }
  const equals = /^\s*([\w./-]+)\s*(==|=|!=)\s*([\w.-]*)\s*$/.exec(term);
  if (equals !== null) {
    const [, key = "", operator, value = ""] = equals;
    return operator === "!=" ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const exists = /^\s*(!?)\s*([\w./-]+)\s*$/.exec(term);
  if (exists === null) throw badRequest(`unable to parse requirement: found '${term}', expected: identifier`);
  const [, not, key = ""] = exists;
  return (labels) => Object.hasOwn(labels, key) === (not === "");
}

function split(text: string): string[] {
  const terms = text === "" ? [] : text.split(",");
  if (terms.length > MAX_TERMS) throw badRequest(`a selector of more than ${MAX_TERMS} terms`);
  return terms;
}

/** Commas inside `in (a,b)` do not separate terms. */
function splitLabels(text: string): string[] {
  return split(text.replaceAll(/\([^)]*\)/g, (list) => list.replaceAll(",", "\u0001"))).map((term) => term.replaceAll("\u0001", ","));
}

function fieldText(object: KubeObject, path: readonly string[]): string {
  if (path[0] === "source") return String(record(object["source"])["component"] ?? "");
  let value: unknown = object;
  for (const key of path) value = record(value)[key];
  return value === undefined || value === null ? (path[1] === "unschedulable" || path[1] === "hostNetwork" ? "false" : "") : String(value);
}
