import { byName, lookOf, type FleetRow } from "./model";

/** One line of "needs you now": a node, or several unknown ones that are blind for the same reason. */
export interface Need {
  readonly look: "no" | "unknown" | "risk";
  readonly first: FleetRow;
  readonly rows: readonly FleetRow[];
  readonly headline: string;
  readonly detail: string;
  readonly waiting: number | undefined;
  readonly waitingSystem: number;
  readonly sinceMs: number;
}

/** Most lines of the list; the table holds the rest. */
export const MAX_NEEDS = 8;

const ORDER = { no: 0, unknown: 1, risk: 2 } as const;

/** No first (most system pods hurt, then most pods), then unknown (most nodes), then at risk. A fleet in order gives nothing. */
export function needsOf(rows: readonly FleetRow[]): readonly Need[] {
  const needs: Need[] = [];
  const blind = new Map<string, FleetRow[]>();
  for (const row of rows) {
    const look = lookOf(row);
    if (look === "yes") continue;
    if (look === "unknown") {
      const group = blind.get(row.detail);
      if (group === undefined) blind.set(row.detail, [row]);
      else group.push(row);
    } else needs.push(needOf(look, [row]));
  }
  for (const group of blind.values()) needs.push(needOf("unknown", group));
  return needs.sort(
    (a, b) =>
      ORDER[a.look] - ORDER[b.look] ||
      b.waitingSystem - a.waitingSystem ||
      (b.waiting ?? 0) - (a.waiting ?? 0) ||
      b.rows.length - a.rows.length ||
      a.sinceMs - b.sinceMs ||
      byName(a.first, b.first),
  );
}

function needOf(look: Need["look"], group: readonly FleetRow[]): Need {
  const rows = [...group].sort(byName);
  const first = rows[0];
  if (first === undefined) throw new RangeError("a need of no node");
  const known = rows.every((row) => "value" in row.waiting);
  return {
    look,
    first,
    rows,
    headline: rows.length > 1 ? `${rows.length} nodes: ${sentence(first.summary)}` : (first.cause ?? sentence(first.summary)),
    detail: rows.length > 1 || first.cause === undefined ? first.detail : sentence(first.summary),
    waiting: known ? rows.reduce((sum, row) => sum + ("value" in row.waiting ? row.waiting.value : 0), 0) : undefined,
    waitingSystem: rows.reduce((sum, row) => sum + row.waitingSystem, 0),
    sinceMs: Math.min(...rows.map((row) => row.sinceMs)),
  };
}

const sentence = (text: string): string => text.replace(/\.$/, "");
