/** Most records that one text is split into; what is left beyond is read as one. */
export const MAX_RECORDS = 2_000;

/**
 * Splits what was copied from a log or from kubectl into its records, each with the lines that continue it: an error may hold
 * line breaks of its own. A text without the look of a log is one record.
 */
export function recordsOf(text: string): readonly string[] {
  if (!text.includes("\n")) return [text];
  const records: string[] = [];
  let start = 0;
  for (let at = text.indexOf("\n"); at >= 0 && records.length < MAX_RECORDS - 1; at = text.indexOf("\n", at + 1)) {
    if (!beginsRecord(text, at + 1)) continue;
    if (at > start) records.push(text.slice(start, at));
    start = at + 1;
  }
  records.push(text.slice(start));
  return records;
}

/** How many records a piece would be split into without a bound. */
export function countRecords(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) if (beginsRecord(text, at + 1)) count += 1;
  return count;
}

/** As far as the beginning of a line is looked at. */
const MAX_INDENT_CHARS = 64;
const HEAD_CHARS = 24;

/** Tiny patterns over a few characters each: nothing in them can repeat without a bound. */
const HEADS: readonly RegExp[] = [
  /^\d{4}[-/]\d\d[-/]\d\d/u,
  /^[IWEF]\d{4} /u,
  /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} /u,
  /^(?:time|level|ts|msg|type)=/u,
  /^\{"/u,
  /^(?:Warning|Normal) /u,
  /^(?:\d{1,4}[smhd]){1,3} /u,
  /^<(?:unknown|invalid)> /u,
  /^\[ {0,6}\d{1,9}\.\d/u,
  /^\[(?:error|debug|verbose|panic|info|warning|fatal|err|warn)\]/iu,
];

function beginsRecord(text: string, lineAt: number): boolean {
  let at = lineAt;
  while (at - lineAt < MAX_INDENT_CHARS && (text.charAt(at) === " " || text.charAt(at) === "\t")) at += 1;
  const head = text.slice(at, at + HEAD_CHARS);
  return HEADS.some((pattern) => pattern.test(head));
}
