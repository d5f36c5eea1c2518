import { z } from "zod";
import { cleanText } from "../text";

/** Longest list inside one object that is looked at (containers, conditions, volumes, taints). */
export const MAX_LIST_ITEMS = 1_000;
export const MAX_LABEL_CHARS = 253;

/** Called once for each optional field or list item that had a wrong type and was left out. */
export type OnDrop = () => void;

/**
 * Schemas for the fields that are used, in which a wrong optional field never costs the object: it counts as absent and
 * is counted as dropped. `null` is Kubernetes' other word for absent.
 */
export function lenient(onDrop: OnDrop) {
  const dropped = () => {
    onDrop();
    return undefined;
  };
  const optional = <T>(schema: z.ZodType<T>) => schema.nullish().catch(dropped).transform((value) => value ?? undefined);
  return {
    optional,
    text: (maxChars = MAX_LABEL_CHARS) => optional(z.string()).transform((value) => (value === undefined || value === "" ? undefined : cleanText(value, maxChars))),
    /** RFC 3339 → UTC ms. */
    time: optional(z.string()).transform((value) => {
      if (value === undefined) return undefined;
      const ms = Date.parse(value);
      if (!Number.isNaN(ms) && ms > 0) return ms;
      onDrop();
      return undefined;
    }),
    flag: optional(z.boolean()),
    number: optional(z.number()),
    /** The usable items; wrong ones are dropped one by one, and those that `wanted` turns down are not looked at. */
    list: <T>(schema: z.ZodType<T>, wanted?: (item: unknown) => boolean) =>
      optional(z.array(z.unknown())).transform((items) => {
        const usable: T[] = [];
        if (items === undefined) return usable;
        for (let at = 0; at < items.length && at < MAX_LIST_ITEMS; at++) {
          if (wanted !== undefined && !wanted(items[at])) continue;
          const parsed = schema.safeParse(items[at]);
          if (parsed.success) usable.push(parsed.data);
          else onDrop();
        }
        return usable;
      }),
    /** Labels, annotations: any object; read one key with `entry`. */
    map: optional(z.custom<Readonly<Record<string, unknown>>>(isMap)),
  };
}
export type Lenient = ReturnType<typeof lenient>;

function isMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One label or annotation, cleaned; `undefined` where it is absent, empty or no text. */
export function entry(map: Readonly<Record<string, unknown>> | undefined, key: string, maxChars = MAX_LABEL_CHARS): string | undefined {
  if (map === undefined || !Object.hasOwn(map, key)) return undefined;
  const value = map[key];
  return typeof value === "string" && value !== "" ? cleanText(value, maxChars) : undefined;
}

/** What an object cannot do without: who it is. */
export const UID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
export const uid = z.string().regex(UID);

/** Whether an item of a list has one of these fields set; `null` counts as not set. */
export function hasAny(item: unknown, fields: readonly string[]): boolean {
  if (!isMap(item)) return false;
  const map = item as Readonly<Record<string, unknown>>; // isMap has just checked it
  return fields.some((field) => Object.hasOwn(map, field) && map[field] !== null && map[field] !== undefined);
}

/** Leaves out what is absent, as `exactOptionalPropertyTypes` asks. */
export type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
export function present<T extends Readonly<Record<string, unknown>>>(fields: T): Present<T> {
  const kept: Present<T> = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) kept[key] = value as Exclude<T[typeof key], undefined>; // undefined was just excluded
  }
  return kept;
}
