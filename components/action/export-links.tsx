"use client";

import { Download } from "lucide-react";
import type { Window } from "@/components/chart/geometry/range";

const FORMATS = [
  { format: "json", label: "JSON" },
  { format: "markdown", label: "Markdown" },
] as const;

/** The node and the range that the page shows as a file: whole seconds, so that the file's name can be read out. */
export function exportHref(node: string, window: Window, format: "json" | "markdown"): string {
  const query = new URLSearchParams({ from: seconds(window.fromMs), to: seconds(window.toMs), format });
  return `/api/v1/nodes/${encodeURIComponent(node)}/export?${query.toString().replaceAll("%3A", ":")}`;
}

const seconds = (ms: number): string => new Date(Math.round(ms / 1_000) * 1_000).toISOString().replace(".000Z", "Z");

export function ExportLinks({ node, window }: { readonly node: string; readonly window: Window }) {
  return (
    <span className="exports" role="group" aria-label="Export this range">
      {FORMATS.map(({ format, label }) => (
        <a key={format} className="btn btn-sm" href={exportHref(node, window, format)} download>
          <Download className="i i-14" aria-hidden="true" />
          <span className="sr">Export </span>
          {label}
        </a>
      ))}
    </span>
  );
}
