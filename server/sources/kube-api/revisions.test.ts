import { describe, expect, it } from "vitest";
import { compared } from "./revisions";

const revision = (number: number, spec: object, over: object = {}) => ({ revision: number, metadata: { ownerReferences: [{ uid: "ds", controller: true }], ...over }, data: { spec: { template: { $patch: "replace", metadata: { labels: { app: "x" } }, spec } } } });
const main = (over: object) => ({ containers: [{ name: "main", image: "a:1", ...over }] });

describe("the two newest revisions", () => {
  it("are compared by their numbers, whatever their order in the list, and those of others are left out", () => {
    const items = [revision(7, main({ image: "a:3" })), revision(5, main({ image: "a:0" })), revision(6, main({ image: "a:2" })), revision(9, main({ image: "b" }), { ownerReferences: [{ uid: "another", controller: true }] })];
    expect(compared({ items }, "ds")).toEqual({ looked: true, from: 6, to: 7, lines: ["- main: image a:2", "+ main: image a:3"], others: [] });
  });

  it("tell of arguments, environment with its sources, and of what is not shown", () => {
    const before = main({ args: ["--a"], env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }], volumeMounts: [] });
    const after = { ...main({ args: ["--b"], env: [{ name: "NODE", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }], volumeMounts: [{ name: "run" }] }), tolerations: [{ operator: "Exists" }] };
    expect(compared({ items: [revision(1, before), revision(2, after)] }, "ds")).toEqual({
      looked: true, from: 1, to: 2,
      lines: ["- main: argument --a", "- main: env NODE from the pod's spec.nodeName", "+ main: argument --b", "+ main: env NODE from secret s, key k"],
      others: ["main.volumeMounts", "spec.tolerations"],
    });
  });

  describe("after a pause", () => {
    const at = (number: number, made: string, image: string) => revision(number, main({ image }), { creationTimestamp: `2026-11-30T${made}Z` });
    const pause = { lastMs: Date.parse("2026-11-30T10:00:00Z"), samePartsNow: false };
    it("are the newest, and the newest of those that were there before it", () => {
      const items = [at(1, "08:00:00", "a:1"), at(2, "09:00:00", "a:2"), at(3, "10:30:00", "a:3"), at(4, "10:40:00", "a:4")];
      expect(compared({ items }, "ds", pause)).toEqual({ looked: true, from: 2, to: 4, madeMs: Date.parse("2026-11-30T10:40:00Z"), lines: ["- main: image a:2", "+ main: image a:4"], others: [] });
    });
    it("tell of a rollback, whose revision is as old as it was", () => {
      const items = [at(3, "08:00:00", "a:1"), at(2, "09:00:00", "a:2")];
      expect(compared({ items }, "ds", pause)).toEqual({ looked: true, from: 2, to: 3, lines: ["- main: image a:2", "+ main: image a:1"], others: [] });
    });
    it("are not compared where what was in force before may be in force again", () => {
      const items = [at(1, "08:00:00", "a:1"), at(4, "09:00:00", "a:2"), at(3, "10:30:00", "a:3")];
      expect(compared({ items }, "ds", { ...pause, samePartsNow: true })).toEqual({ looked: false, reason: expect.stringContaining("cannot be told") as string });
    });
  });

  it.each([
    ["no earlier one is kept", { items: [revision(1, {})] }, "no earlier revision"],
    ["there is none", { items: [] }, "no earlier revision"],
    ["the answer is no list", "hello", "cannot be read"],
    ["one holds no template", { items: [revision(1, {}), { ...revision(2, {}), data: {} }] }, "no template"],
  ])("are not compared where %s, and the reason is told", (_, answer, reason) => {
    expect(compared(answer, "ds")).toEqual({ looked: false, reason: expect.stringContaining(reason) as string });
  });
});
