import { describe, expect, it } from "vitest";
import { blindGroups, clocksThatDiffer, lossesOf, sourceGroups } from "./groups";

const node = (name: string, reason: string | undefined) => ({
  name,
  sources: [{ source: "agent" as const, freshness: reason === undefined ? ("fresh" as const) : ("stale" as const), ...(reason === undefined ? {} : { reason }) }],
  blind: reason === undefined ? [] : [{ what: "Sockets", reason }],
});

describe("the visibility page", () => {
  const nodes = [node("n-10", "silent"), node("n-2", "silent"), node("n-3", "refused"), node("n-4", undefined)];

  it("tells nodes with the same source and reason as one line, stale before fresh, in the order of names", () => {
    expect(sourceGroups(nodes).map((group) => [group.freshness, group.reason, group.nodes])).toEqual([["stale", "silent", ["n-2", "n-10"]], ["stale", "refused", ["n-3"]], ["fresh", "", ["n-4"]]]);
  });

  it("loses no node that is blind to something", () => {
    expect(blindGroups(nodes).flatMap((group) => group.nodes).sort()).toEqual(["n-10", "n-2", "n-3"]);
  });

  it("names nodes whose agents gave up reports, and counts those that do not tell apart from those that lost none", () => {
    const lossy = (name: string, thinned: number, tooOld: number) => ({ ...node(name, undefined), lostReports: { thinned, tooOld } });
    expect(lossesOf([lossy("n-1", 2, 0), lossy("n-2", 0, 0), lossy("n-3", 1, 40), node("n-4", undefined), node("n-5", "silent")])).toEqual({ lossy: [{ name: "n-3", count: 41 }, { name: "n-1", count: 2 }], untold: 1 });
  });

  it("names nodes whose agent's clock differs, the largest difference first", () => {
    const clock = (name: string, clockBehindSeconds?: number) => ({ name, blind: [], sources: [{ source: "agent" as const, freshness: "fresh" as const, ...(clockBehindSeconds === undefined ? {} : { clockBehindSeconds }) }] });
    expect(clocksThatDiffer([clock("n-1", 3), clock("n-2"), clock("n-3", -600)])).toEqual([{ name: "n-3", behindSeconds: -600 }, { name: "n-1", behindSeconds: 3 }]);
  });
});
