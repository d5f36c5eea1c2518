import type { SaidText } from "../domain/messages/group";

/** Most objects of one list that are looked at. */
export const MAX_OBJECTS = 50_000;

/**
 * The texts in what kubectl prints with `-o json`: messages of events, conditions that are not as they should be, and why
 * containers wait or ended. `undefined` where the text is not such a list; a text that only looks like JSON is a text.
 */
export function kubectlTexts(text: string): readonly SaidText[] | undefined {
  const start = text.trimStart();
  if (!start.startsWith("{") || !start.includes('"kind"')) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(start);
  } catch {
    return undefined; // cut or not JSON at all: it is read as a text instead
  }
  const root = objectOf(parsed);
  const items = listOf(root?.["items"]);
  if (root === undefined || (items.length === 0 && typeof root["kind"] !== "string")) return undefined;
  const objects = items.length > 0 || String(root["kind"]).endsWith("List") ? items : [root];
  return objects.slice(0, MAX_OBJECTS).flatMap((item) => textsOf(objectOf(item) ?? {}));
}

type Plain = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Plain | undefined => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Plain) : undefined);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const wordOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const countOf = (value: unknown): number => (typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 1);

function nameOf(reference: Plain | undefined): string | undefined {
  const name = wordOf(reference?.["name"]);
  const namespace = wordOf(reference?.["namespace"]);
  return name === undefined || namespace === undefined ? name : `${namespace}/${name}`;
}

const said = (text: string, reason: string | undefined, about: string | undefined, count: number): SaidText => ({ text, count, ...(reason === undefined ? {} : { reason }), ...(about === undefined ? {} : { about }) });

function textsOf(object: Plain): readonly SaidText[] {
  const event = wordOf(object["message"]) ?? wordOf(object["note"]);
  if (event !== undefined) {
    const about = nameOf(objectOf(object["involvedObject"]) ?? objectOf(object["regarding"]));
    const series = objectOf(object["series"]);
    const text = said(event, wordOf(object["reason"]), about, countOf(series?.["count"] ?? object["count"] ?? object["deprecatedCount"]));
    return [object["type"] === "Normal" ? { ...text, quiet: true } : text];
  }
  const status = objectOf(object["status"]);
  if (status === undefined) return [];
  const about = nameOf(objectOf(object["metadata"]));
  return [...conditionTexts(status, about), ...containerTexts(status, about)];
}

/** A condition speaks only where it is not the good one; which one that is depends on its type. */
const GOOD_WHEN_FALSE: ReadonlySet<string> = new Set(["NetworkUnavailable", "MemoryPressure", "DiskPressure", "PIDPressure", "DisruptionTarget"]);

function conditionTexts(status: Plain, about: string | undefined): readonly SaidText[] {
  return listOf(status["conditions"]).flatMap((item) => {
    const condition = objectOf(item);
    const message = wordOf(condition?.["message"]);
    const good = GOOD_WHEN_FALSE.has(String(condition?.["type"])) ? "False" : "True";
    return message === undefined || condition?.["status"] === good ? [] : [said(message, wordOf(condition?.["reason"]), about, 1)];
  });
}

/** "kube-multus: OOMKilled (exit code 137)": a container's state in the words in which people quote it. */
function containerTexts(status: Plain, about: string | undefined): readonly SaidText[] {
  const containers = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"].flatMap((key) => listOf(status[key]));
  return containers.flatMap((item) => {
    const container = objectOf(item);
    const name = wordOf(container?.["name"]) ?? "container";
    const states = [objectOf(container?.["state"]), objectOf(container?.["lastState"])];
    return states.flatMap((state) => {
      const waiting = objectOf(state?.["waiting"]);
      const ended = objectOf(state?.["terminated"]);
      if (waiting !== undefined) return [said([`${name}:`, wordOf(waiting["reason"]), wordOf(waiting["message"])].filter((word) => word !== undefined).join(" "), wordOf(waiting["reason"]), about, 1)];
      if (ended === undefined || ended["exitCode"] === 0) return [];
      return [said([`${name}:`, wordOf(ended["reason"]), `(exit code ${String(ended["exitCode"])})`, wordOf(ended["message"])].filter((word) => word !== undefined).join(" "), wordOf(ended["reason"]), about, 1)];
    });
  });
}
