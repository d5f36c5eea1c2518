/** Where each node lies on the map: blocks of pools side by side, filled column by column, wrapped where the width ends. */
export interface HeatBlock {
  readonly name: string;
  /** Index of its first node among all nodes of the map. */
  readonly start: number;
  readonly count: number;
  readonly x: number;
  readonly y: number;
  readonly rows: number;
  readonly columns: number;
}

export interface HeatLayout {
  /** Distance of two cells, px; a cell is a little smaller. */
  readonly step: number;
  readonly width: number;
  readonly height: number;
  readonly blocks: readonly HeatBlock[];
}

export const LABEL_HEIGHT = 20;
const LINE_GAP = 10;
const BLOCK_GAP = 24;
/** Widest first: the largest cell with which the map stays as low as it may be wins. */
const STEPS = [24, 22, 20, 18, 16, 14, 13, 12, 11, 10] as const;
const MAX_ROWS = 60;
const LABEL_CHAR_PX = 6.6;

/** How high a map of so many nodes may be: a band on the page for a few hundred, most of a screen for thousands. */
export function heightBudget(nodes: number, width: number): number {
  const area = nodes * 13 * 13 * 1.25;
  return Math.max(190, Math.min(1_400, area / Math.max(1, width)));
}

export function layoutHeatMap(pools: readonly { readonly name: string; readonly count: number }[], width: number): HeatLayout {
  const nodes = pools.reduce((sum, pool) => sum + pool.count, 0);
  const budget = heightBudget(nodes, width);
  let best: HeatLayout | undefined;
  for (const step of STEPS) {
    const limit = Math.min(MAX_ROWS, Math.max(1, Math.floor(budget / step)));
    for (let rows = 1; rows <= limit; rows += 1) {
      const layout = flow(pools, width, step, rows);
      if (best === undefined || layout.height < best.height || (layout.height <= budget && best.height > budget)) best = layout;
      if (layout.height <= budget && layout.step === best.step && lines(layout) === 1) break;
    }
    if (best !== undefined && best.height <= budget) return best;
  }
  return best ?? { step: STEPS[0], width, height: 0, blocks: [] };
}

const lines = (layout: HeatLayout): number => new Set(layout.blocks.map((block) => block.y)).size;

function flow(pools: readonly { readonly name: string; readonly count: number }[], width: number, step: number, rows: number): HeatLayout {
  const blocks: HeatBlock[] = [];
  const most = Math.max(1, Math.floor(width / step));
  let x = 0;
  let y = 0;
  let lineHeight = 0;
  let start = 0;
  for (const pool of pools) {
    let columns = Math.max(1, Math.ceil(pool.count / rows));
    let high = Math.min(rows, pool.count);
    if (columns > most) {
      columns = most;
      high = Math.ceil(pool.count / most);
    }
    const label = (pool.name.length + String(pool.count).length + 1) * LABEL_CHAR_PX;
    const wide = Math.max(columns * step, Math.min(label, width));
    if (x > 0 && x + wide > width) {
      x = 0;
      y += lineHeight + LINE_GAP;
      lineHeight = 0;
    }
    blocks.push({ name: pool.name, start, count: pool.count, x, y, rows: high, columns });
    lineHeight = Math.max(lineHeight, LABEL_HEIGHT + high * step);
    x += wide + BLOCK_GAP;
    start += pool.count;
  }
  return { step, width, height: y + lineHeight, blocks };
}

export interface HeatCell {
  readonly index: number;
  readonly x: number;
  readonly y: number;
}

/** The upper left corner of a node's cell. */
export function cellAt(layout: HeatLayout, index: number): HeatCell | undefined {
  const block = blockOf(layout, index);
  if (block === undefined) return undefined;
  const inside = index - block.start;
  return { index, x: block.x + Math.floor(inside / block.rows) * layout.step, y: block.y + LABEL_HEIGHT + (inside % block.rows) * layout.step };
}

export function blockOf(layout: HeatLayout, index: number): HeatBlock | undefined {
  return layout.blocks.find((block) => index >= block.start && index < block.start + block.count);
}

/** The node under a point of the map, if any. */
export function hitTest(layout: HeatLayout, x: number, y: number): number | undefined {
  for (const block of layout.blocks) {
    const column = Math.floor((x - block.x) / layout.step);
    const row = Math.floor((y - block.y - LABEL_HEIGHT) / layout.step);
    if (column < 0 || column >= block.columns || row < 0 || row >= block.rows) continue;
    const inside = column * block.rows + row;
    if (inside < block.count) return block.start + inside;
  }
  return undefined;
}
