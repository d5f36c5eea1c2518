import { parseAndValidateFlightRouterState } from "next/dist/server/app-render/parse-and-validate-flight-router-state";
import { describe, expect, test } from "vitest";
import { isRouterState } from "./router-state";

const sent = (state: unknown): string => encodeURIComponent(JSON.stringify(state));
const nextTakes = (header: string): boolean => {
  try {
    parseAndValidateFlightRouterState(header);
    return true;
  } catch {
    return false;
  }
};

const LEAF = ["__PAGE__", {}];
const TAKEN: readonly (readonly [string, unknown])[] = [
  ["the fleet page's", ["", { children: ["(fleet)", { children: LEAF }] }, null, null, 16]],
  ["a node page's", ["", { children: ["nodes", { children: [["name", "compute-03", "d", null], { children: ['__PAGE__?{"from":"1"}', {}, ["/nodes/compute-03", "?from=1"], "refetch"] }] }] }, null, null, 16]],
  ["one with siblings and a text", ["", { a: [["x", "y", "oc", ["b"]], {}, null, "metadata-only", null, "text"] }]],
];
const REFUSED: readonly unknown[] = [null, 5, "x", [], {}, [""], ["", null], [5, {}], ["", { a: 1 }], ["", {}, 5], ["", {}, ["a"]], ["", {}, null, "x"], ["", {}, null, null, "x"], ["", {}, null, null, 1, 5], ["", {}, null, null, 1, "", 1], [["a", "b", "x", null], {}], [["a", "b", "d"], {}], [["a", "b", "d", [1]], {}]];

describe("a header of the router's state", () => {
  test.each(TAKEN)("is taken: %s", (_, state) => {
    expect([isRouterState(sent(state)), nextTakes(sent(state))]).toEqual([true, true]);
  });

  test.each(REFUSED.map((state) => [JSON.stringify(state), state] as const))("is refused where Next would answer 500: %s", (_, state) => {
    expect([isRouterState(sent(state)), nextTakes(sent(state))]).toEqual([false, false]);
  });

  test.each(["", "broken", "%", "%zz", "[", '["",{}', "[\"\",{}], [\"\",{}]"])("is refused where it is no JSON: %j", (header) => {
    expect([isRouterState(header), nextTakes(header)]).toEqual([false, false]);
  });

  test("of any depth is told without an overflow of the stack", () => {
    const deep = '["",{"a":'.repeat(5_000) + '["",{}]' + "}]".repeat(5_000);
    expect(isRouterState(deep)).toBe(false);
  });
});
