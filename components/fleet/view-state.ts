import { LOOKS, lookOf, byName, type FleetRow, type Look, type RangeReading, type Reading } from "./model";

/** How the fleet page is looked at; all of it lives in the URL, so that a link shows what its sender saw. */
export interface ViewState {
  /** Empty: all. */
  readonly answers: readonly Look[];
  readonly pools: readonly string[];
  readonly text: string;
  readonly sort: { readonly column: Column; readonly descending: boolean };
  readonly group: boolean;
  readonly colour: Colour;
}

export const COLUMNS = ["name", "answer", "for", "waiting", "dead", "p95", "throttled", "socket", "kubelet"] as const;
export type Column = (typeof COLUMNS)[number];
export const COLOURS = ["answer", "waiting", "p95", "throttled"] as const;
export type Colour = (typeof COLOURS)[number];

export const DEFAULT_VIEW: ViewState = { answers: [], pools: [], text: "", sort: { column: "answer", descending: false }, group: false, colour: "answer" };

/** Longest filter text and most pools that a URL may carry. */
const MAX_TEXT_CHARS = 100;
const MAX_POOLS = 50;

const includes = <T extends string>(words: readonly T[], word: string): word is T => (words as readonly string[]).includes(word);

/** What a URL does not say, or says wrongly, is the default: a stale link still opens. */
export function parseView(params: { get(name: string): string | null; getAll(name: string): string[] }): ViewState {
  const sort = params.get("sort") ?? "";
  const column = sort.replace(/^-/, "");
  const colour = params.get("colour") ?? "";
  return {
    answers: (params.get("answer") ?? "").split(",").filter((word): word is Look => includes(LOOKS, word)),
    pools: params.getAll("pool").filter((pool) => pool !== "").slice(0, MAX_POOLS),
    text: (params.get("q") ?? "").slice(0, MAX_TEXT_CHARS),
    sort: includes(COLUMNS, column) ? { column, descending: sort.startsWith("-") } : DEFAULT_VIEW.sort,
    group: params.get("group") === "pool",
    colour: includes(COLOURS, colour) ? colour : DEFAULT_VIEW.colour,
  };
}

/** Only what differs from the default: "?answer=no,unknown&pool=general&sort=-waiting", or "". */
export function formatView(view: ViewState): string {
  const params = new URLSearchParams();
  if (view.answers.length > 0) params.set("answer", LOOKS.filter((look) => view.answers.includes(look)).join(","));
  for (const pool of view.pools) params.append("pool", pool);
  if (view.text !== "") params.set("q", view.text);
  const { column, descending } = view.sort;
  if (column !== DEFAULT_VIEW.sort.column || descending !== DEFAULT_VIEW.sort.descending) params.set("sort", `${descending ? "-" : ""}${column}`);
  if (view.group) params.set("group", "pool");
  if (view.colour !== DEFAULT_VIEW.colour) params.set("colour", view.colour);
  const text = params.toString().replaceAll("%2C", ",");
  return text === "" ? "" : `?${text}`;
}

export function filterRows(rows: readonly FleetRow[], view: Pick<ViewState, "answers" | "pools" | "text">): readonly FleetRow[] {
  const text = view.text.trim().toLowerCase();
  if (view.answers.length === 0 && view.pools.length === 0 && text === "") return rows;
  return rows.filter(
    (row) =>
      (view.answers.length === 0 || view.answers.includes(lookOf(row))) &&
      (view.pools.length === 0 || view.pools.includes(row.pool)) &&
      (text === "" || row.name.includes(text) || row.pool.toLowerCase().includes(text) || row.summary.toLowerCase().includes(text)),
  );
}

/** Numbers sort from their first click with the largest on top, words with A on top. */
export const startsDescending = (column: Column): boolean => column !== "name" && column !== "answer" && column !== "kubelet";

/** Stable for equal rows: then by name. What nobody could see counts as the largest, so that it never sinks to the end. */
export function sortRows(rows: readonly FleetRow[], sort: ViewState["sort"]): readonly FleetRow[] {
  const direction = sort.descending ? -1 : 1;
  if (sort.column === "name" || sort.column === "kubelet") {
    const compare = sort.column === "name" ? byName : (a: FleetRow, b: FleetRow): number => (a.kubelet ?? "").localeCompare(b.kubelet ?? "", "en", { numeric: true });
    return [...rows].sort((a, b) => direction * compare(a, b) || byName(a, b));
  }
  const key = KEYS[sort.column];
  return rows
    .map((row, index) => ({ row, index, key: key(row) }))
    .sort((a, b) => direction * (a.key - b.key) || a.index - b.index)
    .map((item) => item.row);
}

const SOCKET_BADNESS = { plain: 0, warn: 2, bad: 3, blind: 1 } as const;
const number = (reading: Reading): number => ("value" in reading ? reading.value : reading.blind ? Number.MAX_VALUE : -1);
const upper = (reading: RangeReading): number => ("low" in reading ? (reading.high ?? Number.MAX_VALUE / 4) + reading.low / 1_000 : reading.blind ? Number.MAX_VALUE : -1);
/** Within one answer the pods hurt decide, system pods first. */
const MOST_PODS = 100_000;
const hurt = (row: FleetRow): number => ("value" in row.waiting ? Math.min(MOST_PODS - 1, row.waiting.value + row.waitingSystem * 10) : 0);

const KEYS: Readonly<Record<Exclude<Column, "name" | "kubelet">, (row: FleetRow) => number>> = {
  answer: (row) => LOOKS.indexOf(lookOf(row)) * MOST_PODS - hurt(row),
  // Descending is "longest first", so the earliest start is the largest key.
  for: (row) => -row.sinceMs,
  waiting: (row) => number(row.waiting),
  dead: (row) => number(row.dead),
  p95: (row) => upper(row.p95),
  throttled: (row) => number(row.throttled),
  socket: (row) => SOCKET_BADNESS[row.socket.tone],
};

export interface Pool {
  readonly name: string;
  readonly rows: readonly FleetRow[];
}

/** Largest pool first, as the map shows them. */
export function byPool(rows: readonly FleetRow[]): readonly Pool[] {
  const pools = new Map<string, FleetRow[]>();
  for (const row of rows) {
    const known = pools.get(row.pool);
    if (known === undefined) pools.set(row.pool, [row]);
    else known.push(row);
  }
  return [...pools].map(([name, members]) => ({ name, rows: members })).sort((a, b) => b.rows.length - a.rows.length || byName(a, b));
}

export type TableItem = { readonly kind: "row"; readonly row: FleetRow } | { readonly kind: "pool"; readonly name: string; readonly rows: readonly FleetRow[] };

/** Lines of the table in their order; with grouping each pool has a line of its own above its nodes. */
export function tableItems(rows: readonly FleetRow[], group: boolean): readonly TableItem[] {
  const lines = (members: readonly FleetRow[]): TableItem[] => members.map((row) => ({ kind: "row", row }));
  return group ? byPool(rows).flatMap((pool): TableItem[] => [{ kind: "pool", name: pool.name, rows: pool.rows }, ...lines(pool.rows)]) : lines(rows);
}
