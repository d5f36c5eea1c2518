import { explain } from "../explain";

/** One row of the corpus, as far as it is scored. */
export interface CorpusRow {
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly reason: string;
  readonly message: string;
  readonly cause: string;
  readonly confidence: string;
}

/** Causes between which a text alone cannot tell: one for the other counts as right. */
const LOOK_ALIKES: readonly (readonly string[])[] = [
  ["ipam-exhausted", "ipam-leak"],
  ["daemon-down", "daemon-oom", "stale-socket", "cni-config-conflict"],
  ["daemon-slow", "shim-daemon-skew", "control-plane-not-ready"],
  ["daemon-cpu-throttled", "node-cpu-contention"],
  ["runtime-stuck-or-slow", "teardown-failed"],
];
export const alike = (one: string, other: string): boolean => one === other || LOOK_ALIKES.some((group) => group.includes(one) && group.includes(other));

const KINDS: ReadonlySet<string> = new Set(["event", "log", "status"]);
const SURE: ReadonlySet<string> = new Set(["high", "medium"]);
const UNSCORED: ReadonlySet<string> = new Set(["unknown", "plugin-bug"]);

/** Rows by which it is judged: no human's sentences, no cause that was never settled. */
export const isScored = ({ kind, confidence, cause }: CorpusRow): boolean => KINDS.has(kind) && SURE.has(confidence) && !UNSCORED.has(cause);

export const parseCorpus = (text: string): readonly CorpusRow[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as CorpusRow);

export interface CauseScore {
  rows: number;
  committed: number;
  right: number;
  exact: number;
}

export interface Score {
  readonly causes: ReadonlyMap<string, CauseScore>;
  readonly total: CauseScore;
  /** Rows whose cause the thread states: how many there are, and for how many a cause is given. */
  readonly high: { rows: number; committed: number };
  readonly wrong: readonly { readonly row: CorpusRow; readonly said: string }[];
}

/** Explains every scored row and counts. */
export function score(rows: readonly CorpusRow[]): Score {
  const causes = new Map<string, CauseScore>();
  const total: CauseScore = { rows: 0, committed: 0, right: 0, exact: 0 };
  const high = { rows: 0, committed: 0 };
  const wrong: { row: CorpusRow; said: string }[] = [];
  for (const row of rows.filter(isScored)) {
    const said = explain(row.message).cause;
    const committed = said !== "unknown";
    const cause = causes.get(row.cause) ?? { rows: 0, committed: 0, right: 0, exact: 0 };
    causes.set(row.cause, cause);
    for (const count of [cause, total]) {
      count.rows += 1;
      if (committed) count.committed += 1;
      if (committed && alike(said, row.cause)) count.right += 1;
      if (said === row.cause) count.exact += 1;
    }
    if (row.confidence === "high") {
      high.rows += 1;
      if (committed) high.committed += 1;
    }
    if (committed && !alike(said, row.cause)) wrong.push({ row, said });
  }
  return { causes, total, high, wrong };
}

const percent = (part: number, whole: number): string => (whole === 0 ? "–" : `${((part / whole) * 100).toFixed(1)} %`);

/** The table that the test prints: one line a cause, then what it got wrong. */
export function scoreTable({ causes, total, high, wrong }: Score): string {
  const line = (name: string, { rows, committed, right, exact }: CauseScore): string => `${name.padEnd(26)}${String(rows).padStart(5)}${String(committed).padStart(11)}${String(right).padStart(7)}${String(exact).padStart(7)}   ${percent(right, committed)}`;
  return [
    `${"cause".padEnd(26)} rows  committed  right  exact   right where committed`,
    ...[...causes].sort(([a], [b]) => a.localeCompare(b)).map(([name, cause]) => line(name, cause)),
    line("all", total),
    `committed where the cause is stated: ${String(high.committed)} of ${String(high.rows)}, ${percent(high.committed, high.rows)}`,
    ...wrong.map(({ row, said }) => `  ${row.id}: ${row.cause} taken for ${said}`),
  ].join("\n");
}
