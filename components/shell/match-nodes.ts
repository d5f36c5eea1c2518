import { LOOKS, lookOf, type FleetRow } from "@/components/fleet/model";

/** Most nodes that the list shows at once. */
export const MAX_MATCHES = 12;

/** Nodes whose name or pool holds the text: those that begin with it first, then the worst answers. */
export function matchNodes(rows: readonly FleetRow[], text: string): readonly FleetRow[] {
  const wanted = text.trim().toLowerCase();
  const rank = (row: FleetRow): number => (row.name.startsWith(wanted) ? 0 : 10) + LOOKS.indexOf(lookOf(row));
  return rows
    .filter((row) => row.name.includes(wanted) || row.pool.toLowerCase().includes(wanted))
    .map((row, index) => ({ row, index, rank: rank(row) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map((item) => item.row);
}
