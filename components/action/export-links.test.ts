import { expect, test } from "vitest";
import { exportHref } from "./export-links";

test("the file is of the range on the page, in whole seconds, and the name is one segment", () => {
  const window = { fromMs: Date.parse("2026-03-17T02:25:00.400Z"), toMs: Date.parse("2026-03-17T03:25:00.600Z") };
  expect(exportHref("node-07", window, "markdown")).toBe("/api/v1/nodes/node-07/export?from=2026-03-17T02:25:00Z&to=2026-03-17T03:25:01Z&format=markdown");
  expect(exportHref("a/b", window, "json")).toContain("/nodes/a%2Fb/export?");
});
