/** Longest segment of a path: an object's name has at most 253 characters, "https:NAME:10250" a few more. */
export const MAX_SEGMENT_CHARS = 280;
export const MAX_SEGMENTS = 16;
const SEGMENT = /^[A-Za-z0-9._:~@-]+$/;

/** A segment that cannot be part of a path to the API server. A fault of the caller, never of the cluster. */
export class PathError extends Error {
  override readonly name = "PathError";
}

/**
 * A path from its segments. Nothing but letters, digits and `._:~@-` passes, and no segment made of dots alone, so no
 * name can lead to another resource; there is nothing left to decode twice.
 */
export function pathOf(segments: readonly string[]): string {
  if (segments.length === 0 || segments.length > MAX_SEGMENTS) throw new PathError(`a path has 1 to ${MAX_SEGMENTS} segments, not ${segments.length}`);
  for (const segment of segments) {
    if (segment.length > MAX_SEGMENT_CHARS) throw new PathError(`a path segment has ${segment.length} characters, the limit is ${MAX_SEGMENT_CHARS}`);
    if (!SEGMENT.test(segment) || /^\.+$/.test(segment)) throw new PathError(`${JSON.stringify(segment)} cannot be part of a path`);
  }
  return `/${segments.map(encodeURIComponent).join("/")}`;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** "?a=b" with absent values left out; "" without any. */
export function queryOf(query: Query | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}
