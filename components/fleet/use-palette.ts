"use client";

import { useEffect, useState, type RefObject } from "react";
import { PAINT_TOKENS, type Palette } from "./heat-map-paint";

/** Tokens resolved to plain colours, again whenever the theme changes. A canvas cannot read a stylesheet by itself. */
export function usePalette(probe: RefObject<HTMLElement | null>): Palette | undefined {
  const [palette, setPalette] = useState<Palette>();
  useEffect(() => {
    const element = probe.current;
    if (element === null) return;
    const read = (): void => setPalette(resolve(element));
    read();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", read);
    const observer = new MutationObserver(read);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      scheme.removeEventListener("change", read);
      observer.disconnect();
    };
  }, [probe]);
  return palette;
}

function resolve(element: HTMLElement): Palette {
  const colours = PAINT_TOKENS.map((token) => {
    element.style.color = `var(--${token})`;
    return [token, getComputedStyle(element).color] as const;
  });
  return Object.fromEntries(colours) as Palette; // every token was visited
}
