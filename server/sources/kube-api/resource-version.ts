const DECIMAL = /^\d+$/;

/** True where `version` is certainly before `than`. Versions that are no numbers cannot be compared: false. */
export function isOlder(version: string, than: string): boolean {
  if (!DECIMAL.test(version) || !DECIMAL.test(than)) return false;
  const [a, b] = [version.replace(/^0+/, ""), than.replace(/^0+/, "")];
  return a.length === b.length ? a < b : a.length < b.length;
}

const MAX_VERSION_CHARS = 128;

/** `metadata.resourceVersion` of an object; `undefined` where it has none that is text of a sane length. */
export function versionOf(raw: unknown): string | undefined {
  if (typeof raw !== "object" || raw === null || !("metadata" in raw)) return undefined;
  const { metadata } = raw;
  if (typeof metadata !== "object" || metadata === null || !("resourceVersion" in metadata)) return undefined;
  const version = metadata.resourceVersion;
  return typeof version === "string" && version !== "" && version.length <= MAX_VERSION_CHARS ? version : undefined;
}
