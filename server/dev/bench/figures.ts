export type Part = "start" | "collector" | "store" | "ui" | "agents" | "agent";
export type Unit = "cores" | "percent" | "seconds" | "MiB" | "KB" | "ms" | "per second" | "bytes" | "count";

export interface Target {
  readonly most: number;
  /** As the design words it. */
  readonly words: string;
  /** The fleet for which it is promised; a smaller one can miss it, but not show that it is met. */
  readonly nodes?: number;
}

/** One thing that was measured. */
export interface Figure {
  readonly part: Part;
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  /** Where the value alone would mislead: "or less". */
  readonly note?: string;
  /** Size of the fleet, where the target depends on it. */
  readonly nodes?: number;
  readonly target?: Target;
}

/** "yes", "no", why it cannot be said, or "" where nothing is promised. */
export function met({ value, target, nodes }: Figure): string {
  if (target === undefined) return "";
  if (!(value <= target.most)) return "no"; // what is no number was not met either
  if (target.nodes !== undefined && nodes !== undefined && nodes < target.nodes) return `not shown by ${nodes.toLocaleString("en")} nodes`;
  return "yes";
}

const plain = (value: number, digits: number): string => value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

const SHOWN: Readonly<Record<Unit, (value: number) => string>> = {
  cores: (value) => `${plain(value, 3)} core`,
  percent: (value) => `${plain(value, 2)} % of a core`,
  seconds: (value) => `${plain(value, value < 10 ? 2 : 1)} s`,
  MiB: (value) => `${plain(value, value < 10 ? 1 : 0)} MiB`,
  KB: (value) => `${plain(value, 1)} KB`,
  ms: (value) => `${plain(value, value < 10 ? 2 : value < 100 ? 1 : 0)} ms`,
  "per second": (value) => `${plain(value, value < 10 ? 1 : 0)} /s`,
  bytes: (value) => `${plain(value, 1)} B`,
  count: (value) => plain(value, 0),
};

export const shown = (figure: Figure): string => `${SHOWN[figure.unit](figure.value)}${figure.note === undefined ? "" : ` ${figure.note}`}`;

const HEAD = ["part", "what", "measured", "target", "met"] as const;
const cells = (figure: Figure): readonly string[] => [figure.part, figure.what, shown(figure), figure.target?.words ?? "", met(figure)];

/** For a terminal: columns padded, the part named once. */
export function textTable(figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map((figure, index) => [figures[index - 1]?.part === figure.part ? "" : figure.part, ...cells(figure).slice(1)])];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join("\n");
}

export function markdownTable(figures: readonly Figure[]): string {
  const line = (row: readonly string[]): string => `| ${row.join(" | ")} |`;
  return [line(HEAD), line(HEAD.map((_, column) => (column === 2 ? "---:" : "---"))), ...figures.map((figure) => line(cells(figure)))].join("\n");
}
