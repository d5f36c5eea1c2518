import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_NAD_PLUGIN_TYPES } from "../domain/agent-report";
import { parseAnswer } from "./answer";

test("an answer is taken with what this agent knows, and without what it does not", () => {
  expect(parseAnswer('{"version":2,"nadPluginTypes":["macvlan"],"cniDaemonSets":["net/our-cni"],"actions":[{}]}')).toEqual({ version: 2, nadPluginTypes: ["macvlan"], cniDaemonSets: ["net/our-cni"] });
  expect(parseAnswer('{"version":1}')).toEqual({ version: 1 });
});

test("a part that makes no sense is left out by itself; a text that is no answer is none", () => {
  expect(parseAnswer('{"version":1,"nadPluginTypes":"all","cniDaemonSets":[]}')).toEqual({ version: 1, cniDaemonSets: [] });
  for (const text of ["", "<html>", "[]", '{"nadPluginTypes":[]}', "null"]) expect(parseAnswer(text)).toBeUndefined();
});

test("a period is taken within its bounds, and any other left out", () => {
  expect([1, 7.5, 15].map((periodSeconds) => parseAnswer(JSON.stringify({ version: 1, periodSeconds }))?.periodSeconds)).toEqual([1, 7.5, 15]);
  for (const periodSeconds of [0, 0.5, -1, 16, 1e9, "5", null]) expect(parseAnswer(JSON.stringify({ version: 1, periodSeconds }))).toEqual({ version: 1 });
});

test("names that would lead elsewhere are not taken, nor more than the bound", () => {
  expect(parseAnswer(JSON.stringify({ version: 1, nadPluginTypes: ["../../etc/shadow", "a/b", "", ".", 5, "bridge"], cniDaemonSets: ["x", "A/b", "a/b"] }))).toEqual({ version: 1, nadPluginTypes: ["bridge"], cniDaemonSets: ["a/b"] });
  expect(parseAnswer(JSON.stringify({ version: 1, nadPluginTypes: Array.from({ length: 1_000 }, (_, at) => `p${String(at)}`) }))?.nadPluginTypes).toHaveLength(MAX_NAD_PLUGIN_TYPES);
});

test("no text makes it throw", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseAnswer(text)));
});
