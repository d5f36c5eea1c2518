import { cellAt, type HeatLayout } from "./heat-map-geometry";
import { lookOf, type FleetRow } from "./model";
import type { Colour } from "./view-state";

/** Colours of the map in the theme that is on, read from the stylesheet's tokens. */
export const PAINT_TOKENS = [
  "ink", "ink-faint", "ok-dot", "bad-fill", "on-fill", "warn", "warn-fill", "warn-soft", "unknown", "unknown-soft", "accent",
  "ramp-0", "ramp-1", "ramp-2", "ramp-3", "ramp-4", "ramp-0-ink", "ramp-4-ink",
] as const;
export type Palette = Readonly<Record<(typeof PAINT_TOKENS)[number], string>>;

/** Steps of the ramp for "colour by": a value at or over the n-th edge has level n + 1. */
export const RAMP_EDGES: Readonly<Record<Exclude<Colour, "answer">, readonly [number, number, number, number]>> = {
  waiting: [1, 5, 21, 101],
  p95: [2.5, 10, 60, 240],
  throttled: [0.1, 0.25, 0.5, 0.9],
};

/** 0 to 4 on the ramp; `undefined` where there is no number to colour by. */
export function rampLevel(row: FleetRow, colour: Exclude<Colour, "answer">): 0 | 1 | 2 | 3 | 4 | undefined {
  const value = colour === "waiting" ? valueOf(row.waiting) : colour === "throttled" ? valueOf(row.throttled) : "low" in row.p95 ? (row.p95.high ?? row.p95.low) : undefined;
  if (value === undefined) return undefined;
  const level = RAMP_EDGES[colour].filter((edge) => value >= edge).length;
  return level as 0 | 1 | 2 | 3 | 4; // four edges: nothing else can come out
}

const valueOf = (reading: FleetRow["waiting"]): number | undefined => ("value" in reading ? reading.value : undefined);

/** Draws one cell; the shape tells the answer in every colouring. */
export function paintCell(context: CanvasRenderingContext2D, layout: HeatLayout, index: number, row: FleetRow, colour: Colour, palette: Palette, font: string): void {
  const cell = cellAt(layout, index);
  if (cell === undefined) return;
  const size = layout.step - Math.max(2, layout.step * 0.12);
  const look = lookOf(row);
  context.save();
  context.translate(cell.x, cell.y);
  context.clearRect(-1, -1, layout.step, layout.step);
  if (look === "unknown") diamond(context, size, palette, font);
  else if (colour !== "answer") square(context, size, rampLevel(row, colour), look, palette, font);
  else if (look === "no") {
    context.fillStyle = palette["bad-fill"];
    roundRect(context, 0, 0, size, 2);
    letter(context, size, "N", palette["on-fill"], font);
  } else if (look === "risk") triangle(context, size, palette, font);
  else {
    context.fillStyle = palette["ok-dot"];
    context.beginPath();
    context.arc(size / 2, size / 2, Math.max(2.4, size * 0.25), 0, Math.PI * 2);
    context.fill();
  }
  context.restore();
}

/** Cells too small for a letter keep their shape. */
const SMALLEST_LETTER_CELL = 12;

function letter(context: CanvasRenderingContext2D, size: number, text: string, colour: string, font: string, dy = 0): void {
  if (size < SMALLEST_LETTER_CELL) return;
  context.fillStyle = colour;
  context.font = `700 ${Math.min(11, size * 0.56)}px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, size / 2, size / 2 + 0.5 + dy);
}

function diamond(context: CanvasRenderingContext2D, size: number, palette: Palette, font: string): void {
  const middle = size / 2;
  context.beginPath();
  context.moveTo(middle, 0.8);
  context.lineTo(size - 0.8, middle);
  context.lineTo(middle, size - 0.8);
  context.lineTo(0.8, middle);
  context.closePath();
  context.fillStyle = palette["unknown-soft"];
  context.fill();
  context.strokeStyle = palette.unknown;
  context.lineWidth = 1.3;
  context.setLineDash([2.4, 1.8]);
  context.stroke();
  letter(context, size, "?", palette.unknown, font);
}

function triangle(context: CanvasRenderingContext2D, size: number, palette: Palette, font: string): void {
  context.beginPath();
  context.moveTo(size / 2, size * 0.08);
  context.lineTo(size * 0.96, size * 0.9);
  context.lineTo(size * 0.04, size * 0.9);
  context.closePath();
  context.fillStyle = palette["warn-soft"];
  context.fill();
  context.strokeStyle = palette["warn-fill"];
  context.lineWidth = 1.4;
  context.lineJoin = "round";
  context.stroke();
  letter(context, size, "!", palette.warn, font, size * 0.14);
}

function square(context: CanvasRenderingContext2D, size: number, level: 0 | 1 | 2 | 3 | 4 | undefined, look: "no" | "risk" | "yes", palette: Palette, font: string): void {
  if (level === undefined) {
    context.strokeStyle = palette["ink-faint"];
    context.lineWidth = 1;
    context.setLineDash([2, 2]);
    context.strokeRect(1.5, 1.5, size - 3, size - 3);
  } else {
    context.fillStyle = palette[`ramp-${level}`];
    roundRect(context, 1, 1, size - 2, 2);
  }
  const ink = level !== undefined && level > 2 ? palette["ramp-4-ink"] : palette.ink;
  if (look === "no") letter(context, size, "N", ink, font);
  if (look === "risk") letter(context, size, "!", ink, font);
}

function roundRect(context: CanvasRenderingContext2D, x: number, y: number, size: number, radius: number): void {
  context.beginPath();
  context.roundRect(x, y, size, size, radius);
  context.fill();
}
