import type { EvidenceOut } from "@/server/contract/evidence";
import { formatBytes, formatCores, formatCount, formatSeconds, formatShare } from "@/components/format/numbers";
import { formatDuration } from "@/components/format/time";

const MINUTE_SECONDS = 60;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/;

/** The instant that an observation tells of, where its value is one. */
export const evidenceInstant = (evidence: Pick<EvidenceOut, "value">): number | undefined => (typeof evidence.value === "string" && INSTANT.test(evidence.value) ? Date.parse(evidence.value) : undefined);

/** The value of an observation with its unit, as the rest of the page writes it; `undefined` where it carries none. */
export function evidenceValue(evidence: Pick<EvidenceOut, "value" | "unit">): string | undefined {
  const { value, unit } = evidence;
  if (value === undefined) return undefined;
  if (typeof value === "string") return unit === undefined ? value : `${value} ${unit}`;
  switch (unit) {
    case undefined:
    case "count":
      return formatCount(value);
    case "seconds":
      return value < MINUTE_SECONDS ? formatSeconds(value) : formatDuration(value);
    case "ratio":
      return formatShare(value);
    case "bytes":
      return formatBytes(value);
    case "cores":
      return formatCores(value);
    default:
      return `${formatCount(value)} ${unit}`;
  }
}
