"use client";

import { useRouter } from "next/navigation";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { plural } from "@/components/format/numbers";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { cellAt, hitTest, layoutHeatMap } from "./heat-map-geometry";
import { moveOnMap } from "./heat-map-keys";
import { paintCell } from "./heat-map-paint";
import { HeatTip } from "./heat-tip";
import { lookOf, LOOKS, LOOK_WORDS, type FleetRow } from "./model";
import { usePalette } from "./use-palette";
import { useWidth } from "@/components/ui/use-width";
import { COLOURS, type Colour, type Pool } from "./view-state";

const COLOUR_WORDS: Readonly<Record<Colour, string>> = { answer: "Answer", waiting: "Waiting", p95: "p95", throttled: "Throttled" };
/** What a page of the commonest width needs, so that nothing jumps when the real width is known. */
const ASSUMED_WIDTH = 1_392;

interface HeatMapProps {
  readonly pools: readonly Pool[];
  readonly nodes: number;
  readonly colour: Colour;
  readonly onColour: (colour: Colour) => void;
}

/**
 * Every node as one cell, by pool. Painted on a canvas, because 5,000 cells change while someone reads; the table under
 * it holds the same nodes as text, and the keyboard walks the cells as a list of options.
 */
export function HeatMap({ pools, nodes, colour, onColour }: HeatMapProps) {
  const router = useRouter();
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const width = useWidth(frame) ?? ASSUMED_WIDTH;
  const palette = usePalette(probe);
  const shape = pools.map((pool) => `${pool.name} ${pool.rows.length}`).join("\n");
  // Laid out again only when a pool gains or loses a node, not with every reading.
  const layout = useMemo(() => layoutHeatMap(shape === "" ? [] : shape.split("\n").map((line) => ({ name: line.slice(0, line.lastIndexOf(" ")), count: Number(line.slice(line.lastIndexOf(" ") + 1)) })), width), [shape, width]);
  const rows = useMemo(() => pools.flatMap((pool) => pool.rows), [pools]);
  const [active, setActive] = useState(0);
  const [pointed, setPointed] = useState<{ readonly index: number; readonly by: "pointer" | "keys" }>();
  const current = Math.min(active, rows.length - 1);
  const row = rows[current];

  usePainting(canvas, { layout, rows, colour, palette });

  const open = (index: number): void => {
    const target = rows[index];
    if (target !== undefined) router.push(`/nodes/${encodeURIComponent(target.name)}`);
  };
  const under = (event: PointerEvent<HTMLElement>): number | undefined => {
    const box = event.currentTarget.getBoundingClientRect();
    return hitTest(layout, event.clientX - box.left, event.clientY - box.top);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") return open(current);
    const next = moveOnMap(layout, current, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setActive(next);
    setPointed({ index: next, by: "keys" });
  };
  const marked = pointed === undefined ? undefined : cellAt(layout, pointed.index);
  return (
    <section className="sec" aria-labelledby="map-h">
      <div className="sec-head">
        <h2 id="map-h">
          All nodes<span className="count">{nodes}, by pool</span>
        </h2>
        <Legend colour={colour} />
        <span className="spacer" />
        <span className="small muted" id={`${id}-by`}>
          Colour by
        </span>
        <span className="seg" role="group" aria-labelledby={`${id}-by`}>
          {COLOURS.map((word) => (
            <button key={word} type="button" aria-pressed={word === colour} onClick={() => onColour(word)}>
              {COLOUR_WORDS[word]}
            </button>
          ))}
        </span>
      </div>
      <div className="heat">
        <span ref={probe} hidden />
        <div
          ref={frame}
          className="heat-frame"
          role="listbox"
          tabIndex={0}
          aria-label={`${plural(nodes, "node")} by pool. Arrow keys move, Enter opens; the table below holds the same nodes`}
          aria-activedescendant={row === undefined ? undefined : `${id}-cell`}
          style={{ height: layout.height }}
          onKeyDown={onKeyDown}
          onFocus={(event) => {
            if (event.currentTarget.matches(":focus-visible")) setPointed({ index: current, by: "keys" });
          }}
          onBlur={() => setPointed(undefined)}
          onPointerMove={(event) => {
            const index = under(event);
            setPointed((before) => (index === undefined ? undefined : before?.index === index && before.by === "pointer" ? before : { index, by: "pointer" }));
          }}
          onPointerLeave={() => setPointed(undefined)}
          onClick={(event) => {
            const index = hitTest(layout, event.clientX - event.currentTarget.getBoundingClientRect().left, event.clientY - event.currentTarget.getBoundingClientRect().top);
            if (index !== undefined) open(index);
          }}
        >
          <canvas ref={canvas} aria-hidden="true" />
          {layout.blocks.map((block) => (
            <span key={block.name} className="pool" aria-hidden="true" style={{ left: block.x, top: block.y, maxWidth: width - block.x }}>
              {block.name} <span>{block.count}</span>
            </span>
          ))}
          {marked === undefined ? null : <span className="ring" aria-hidden="true" style={{ left: marked.x, top: marked.y, width: layout.step - 2, height: layout.step - 2 }} />}
          {row === undefined ? null : (
            <div id={`${id}-cell`} className="sr" role="option" aria-selected="true" aria-posinset={current + 1} aria-setsize={rows.length}>
              {`${row.name}, ${row.pool}: ${LOOK_WORDS[lookOf(row)]}. ${row.summary}`}
            </div>
          )}
        </div>
        {pointed === undefined || marked === undefined || rows[pointed.index] === undefined ? null : <HeatTip row={rows[pointed.index] as FleetRow} frame={frame} x={marked.x + layout.step / 2} y={marked.y} step={layout.step} />}
      </div>
    </section>
  );
}

interface Painting {
  readonly layout: ReturnType<typeof layoutHeatMap>;
  readonly rows: readonly FleetRow[];
  readonly colour: Colour;
  readonly palette: ReturnType<typeof usePalette>;
}

/** Paints everything when layout, theme or colouring changes, else only the cells whose node changed. */
function usePainting(ref: React.RefObject<HTMLCanvasElement | null>, painting: Painting): void {
  const painted = useRef<Painting>(undefined);
  const [, paintAgain] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    const context = element?.getContext("2d");
    const { layout, rows, colour, palette } = painting;
    if (element === null || context === null || context === undefined || palette === undefined) return;
    const before = painted.current;
    const whole = before === undefined || before.layout !== layout || before.colour !== colour || before.palette !== palette;
    const font = getComputedStyle(element).fontFamily;
    if (whole) {
      const scale = window.devicePixelRatio;
      element.width = Math.ceil(layout.width * scale);
      element.height = Math.ceil(layout.height * scale);
      element.style.width = `${layout.width}px`;
      element.style.height = `${layout.height}px`;
      context.setTransform(scale, 0, 0, scale, 0, 0);
    }
    rows.forEach((row, index) => {
      if (whole || before.rows[index] !== row) paintCell(context, layout, index, row, colour, palette, font);
    });
    painted.current = painting;
  });
  // A font that arrives after the first paint gives the letters their shape.
  useEffect(() => {
    let gone = false;
    void document.fonts.ready.then(() => {
      if (gone) return;
      painted.current = undefined;
      paintAgain((count) => count + 1);
    });
    return () => {
      gone = true;
    };
  }, []);
}

function Legend({ colour }: { readonly colour: Colour }) {
  if (colour === "answer") {
    return (
      <span className="legend">
        {LOOKS.map((look) => (
          <span key={look}>
            {look === "yes" ? <i className="dot" /> : <AnswerGlyph look={look} />}
            {LOOK_WORDS[look]}
          </span>
        ))}
      </span>
    );
  }
  return (
    <span className="legend">
      <span>
        {RAMP_WORDS[colour][0]}
        <span className="ramp" aria-hidden="true">
          {[0, 1, 2, 3, 4].map((level) => (
            <i key={level} style={{ background: `var(--ramp-${level})` }} />
          ))}
        </span>
        {RAMP_WORDS[colour][1]}
      </span>
      <span>
        <AnswerGlyph look="unknown" />
        Unknown
      </span>
      <span>
        <i className="none" />
        no figure
      </span>
      <span>N = No, ! = at risk</span>
    </span>
  );
}

const RAMP_WORDS: Readonly<Record<Exclude<Colour, "answer">, readonly [string, string]>> = {
  waiting: ["0 pods", "over 100"],
  p95: ["under 2.5 s", "over 4 min"],
  throttled: ["under 10 %", "over 90 %"],
};
