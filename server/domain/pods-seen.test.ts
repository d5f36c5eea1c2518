import { expect, it } from "vitest";
import { buildView } from "./build-view";
import type { KindStatus } from "./observation";
import { podsSeen } from "./pods-seen";
import { NOW_MS, nodeWindow, secondsAgo, watching } from "./testing/builders";
import { DEFAULT_THRESHOLDS } from "./thresholds";
import { silentView, unheardView } from "./unknown-views";

const view = (kinds: readonly KindStatus[]) => buildView(nodeWindow({ kinds }), NOW_MS, DEFAULT_THRESHOLDS);
const pods = (status: Partial<KindStatus>): readonly KindStatus[] => watching().map((one) => (one.kind === "pods" ? { ...one, ...status } : one));

it("the pods of a node are seen while they are watched, and a 0 of them is one", () => {
  expect(podsSeen(view(watching()))).toBe(true);
});

it.each([
  ["may not be listed", view(pods({ state: "forbidden", reason: "pods is forbidden" }))],
  ["were heard of for the last time long ago", view(pods({ state: "failing", lastMs: secondsAgo(3_600) }))],
  ["were told before a start of Sandglass alone", unheardView(view(watching()), NOW_MS)],
  ["were told before the collector fell silent", silentView(view(watching()), secondsAgo(600), NOW_MS)],
])("pods that %s are not seen, and a 0 of them is none", (_why, blind) => {
  expect(blind.counts.waiting).toBe(0);
  expect(podsSeen(blind)).toBe(false);
});
