import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { LiveProvider } from "@/components/live/live-provider";
import type { Status } from "@/server/contract/schemas";
import { Banners } from "./banners";

const status: Status = { version: "1", at: "2026-03-17T03:12:40.000Z", actionsAllowed: false, store: { writable: true, pendingBatches: 0, droppedSamples: 0 } };
const shown = (over: Partial<Status>): string =>
  renderToStaticMarkup(
    <LiveProvider status={{ ...status, ...over }} rate={1}>
      <Banners />
    </LiveProvider>,
  ).replace(/<!-- -->/g, "");

it("nothing is said above a page while the store is written and the file itself is read", () => {
  expect(shown({})).toBe('<div class="banners"></div>');
});

it("why nothing can be written, and how much waits, stands above every page", () => {
  const html = shown({ store: { writable: false, reason: "The disk under /data is full: make room, and writing goes on by itself.", pendingBatches: 12, droppedSamples: 3 } });
  expect(html).toContain('<b role="alert">Nothing can be written to the data file</b>: The disk under /data is full: make room, and writing goes on by itself. What is stored is still shown; 12 batches wait, 3 samples are lost.');
});

it("that a copy of the file is read, and why, stands above every page", () => {
  expect(shown({ copyReason: "Nothing can be written beside /data/a.db, so a copy of it is read." })).toContain("<b>What you see is read from a copy of the data file.</b> Nothing can be written beside /data/a.db, so a copy of it is read.");
});

it("an alert is what happened, without a figure that counts up: it would be read out anew with each second", () => {
  const html = shown({ api: { reachable: false, since: "2026-03-17T03:12:00.000Z", reason: "connection refused" }, store: { writable: false, reason: "The disk is full.", pendingBatches: 12, droppedSamples: 0 }, collectorAgeSeconds: 400 });
  const alerts = [...html.matchAll(/role="alert"[^>]*>([^<]*)</g)].map(([, text]) => text);
  expect(alerts).toEqual(["The API server does not answer", "Nothing can be written to the data file"]);
  expect(html).toContain("40 s ago");
});

it("how much of the past is filled in, and that answers are of now already, stands above every page until all of it is", () => {
  const html = shown({ backfill: { doneShare: 0.25 } });
  expect(html).toContain("<b>Older history is being filled in:</b> 25 %. Answers are of now already.");
  expect(html).toContain('<progress max="1" value="0.25" aria-label="History filled in"></progress>');
  expect(shown({ backfill: { doneShare: 1 } })).toBe('<div class="banners"></div>');
});
