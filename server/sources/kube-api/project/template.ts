import { z } from "zod";
import type { PodTemplate, TemplateContainer } from "../../../domain/template-diff";
import { resourcesOf, containerSchema } from "./containers";
import { lenient } from "./fields";

const MAX_WORD_CHARS = 65_536;
const MAX_COMPARED_CHARS = 262_144;
/** What the controller writes into a revision beside the template. */
const MARKS: ReadonlySet<string> = new Set(["$patch"]);
const SHOWN: ReadonlySet<string> = new Set(["name", "image", "command", "args", "env", "resources"]);

const fields = lenient(() => undefined);
const { optional, text, list, map } = fields;
const reference = optional(z.object({ name: text(), key: text(), fieldPath: text(1_024), resource: text() }));
const env = z.object({ name: z.string(), value: text(MAX_WORD_CHARS), valueFrom: optional(z.object({ secretKeyRef: reference, configMapKeyRef: reference, fieldRef: reference, resourceFieldRef: reference })) });
const containers = list(containerSchema(fields).extend({ command: list(z.string().max(MAX_WORD_CHARS)), args: list(z.string().max(MAX_WORD_CHARS)), env: list(env) }));
const templateSchema = z.object({ metadata: map, spec: map });
const revisionSchema = z.object({ data: z.object({ spec: z.object({ template: templateSchema }) }) });

/** The pod template of a ControllerRevision; `undefined` where it holds none. */
export function revisionTemplate(raw: unknown): PodTemplate | undefined {
  const parsed = revisionSchema.safeParse(raw);
  return parsed.success ? templateOf(parsed.data.data.spec.template) : undefined;
}

function templateOf({ metadata = {}, spec = {} }: z.output<typeof templateSchema>): PodTemplate {
  const others = new Map<string, string>();
  const note = (path: string, value: unknown): void => void others.set(path, JSON.stringify(value)?.slice(0, MAX_COMPARED_CHARS) ?? "");
  for (const [key, value] of Object.entries(metadata)) if (key !== "creationTimestamp") note(`metadata.${key}`, value);
  for (const [key, value] of Object.entries(spec)) if (key !== "containers" && key !== "initContainers" && !MARKS.has(key)) note(`spec.${key}`, value);
  return { containers: [...containersOf(spec["initContainers"], true, note), ...containersOf(spec["containers"], false, note)], others };
}

function containersOf(raw: unknown, init: boolean, note: (path: string, value: unknown) => void): readonly TemplateContainer[] {
  if (Array.isArray(raw)) {
    for (const container of raw as readonly unknown[]) {
      if (typeof container !== "object" || container === null || !("name" in container) || typeof container.name !== "string") continue;
      for (const [key, value] of Object.entries(container)) if (!SHOWN.has(key)) note(`${container.name}.${key}`, value);
    }
  }
  return containers.parse(raw).map((one): TemplateContainer => ({
    name: one.name,
    init,
    ...(one.image === undefined ? {} : { image: one.image }),
    command: one.command,
    args: one.args,
    env: one.env.map(({ name, value, valueFrom }) => ({ name, ...(value === undefined ? {} : { value }), ...fromOf(valueFrom) })),
    resources: resourcesOf(one, init),
  }));
}

function fromOf(valueFrom: z.output<typeof env>["valueFrom"]): { from?: string } {
  if (valueFrom === undefined) return {};
  const { secretKeyRef: secret, configMapKeyRef: config, fieldRef: own, resourceFieldRef: resource } = valueFrom;
  if (secret !== undefined) return { from: `secret ${secret.name ?? "?"}, key ${secret.key ?? "?"}` };
  if (config !== undefined) return { from: `config map ${config.name ?? "?"}, key ${config.key ?? "?"}` };
  return { from: own !== undefined ? `the pod's ${own.fieldPath ?? "?"}` : resource !== undefined ? `the container's ${resource.resource ?? "?"}` : "elsewhere" };
}
