import { blockOf, cellAt, type HeatLayout } from "./heat-map-geometry";

/** Where a key moves the map's cursor; `undefined`: the key means nothing here. */
export function moveOnMap(layout: HeatLayout, current: number, key: string): number | undefined {
  const block = blockOf(layout, current);
  const last = layout.blocks.reduce((end, item) => Math.max(end, item.start + item.count), 0) - 1;
  if (block === undefined || last < 0) return undefined;
  const inside = current - block.start;
  switch (key) {
    case "Home":
      return 0;
    case "End":
      return last;
    case "ArrowUp":
      return inside % block.rows === 0 ? current : current - 1;
    case "ArrowDown":
      return inside % block.rows === block.rows - 1 || inside === block.count - 1 ? current : current + 1;
    case "ArrowLeft":
      return inside >= block.rows ? current - block.rows : neighbour(layout, current, -1);
    case "ArrowRight":
      return inside + block.rows < block.count ? current + block.rows : lastColumnOnly(layout, current);
    default:
      return undefined;
  }
}

/** From a column that is not the last, a short last column is reached at its lowest cell; from the last, the next pool. */
function lastColumnOnly(layout: HeatLayout, current: number): number {
  const block = blockOf(layout, current);
  if (block === undefined) return current;
  const column = Math.floor((current - block.start) / block.rows);
  const lastColumn = Math.floor((block.count - 1) / block.rows);
  return column < lastColumn ? block.start + block.count - 1 : neighbour(layout, current, 1);
}

/** The cell of the pool before or after that lies nearest in height; the same cell where there is none. */
function neighbour(layout: HeatLayout, current: number, direction: 1 | -1): number {
  const at = layout.blocks.findIndex((block) => current >= block.start && current < block.start + block.count);
  const from = layout.blocks[at];
  const to = layout.blocks[at + direction];
  if (from === undefined || to === undefined) return current;
  const row = Math.min((current - from.start) % from.rows, to.rows - 1);
  if (direction === 1) return to.start + Math.min(row, to.count - 1);
  const lastColumn = Math.floor((to.count - 1) / to.rows);
  const candidate = to.start + lastColumn * to.rows + row;
  return cellAt(layout, candidate) !== undefined && candidate < to.start + to.count ? candidate : to.start + to.count - 1;
}
