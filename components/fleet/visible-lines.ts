/** Which lines of a long table are on the page: those in view and some on either side. */
export interface VisibleLines {
  readonly start: number;
  /** One past the last. */
  readonly end: number;
}

/** Lines kept on either side of the view, so that a quick scroll finds them there. */
export const OVERSCAN_LINES = 12;

/**
 * @param top where the window's upper edge lies, px from the first line; negative above it
 * @param height of the window, px
 */
export function visibleLines(count: number, linePx: number, top: number, height: number): VisibleLines {
  const first = Math.floor(top / linePx) - OVERSCAN_LINES;
  const last = Math.ceil((top + height) / linePx) + OVERSCAN_LINES;
  const start = Math.max(0, Math.min(count, first));
  return { start, end: Math.max(start, Math.min(count, last)) };
}

/** How far the window must scroll so that a line is whole in view below `coveredPx` of sticky bar; 0 where it is. */
export function scrollToLine(line: number, linePx: number, top: number, height: number, coveredPx: number): number {
  const above = line * linePx - (top + coveredPx);
  if (above < 0) return above;
  const below = (line + 1) * linePx - (top + height);
  return Math.max(0, below);
}
