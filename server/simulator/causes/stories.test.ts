import { describe, expect, it } from "vitest";
import type { NodeView } from "../../domain/node-view";
import { planScenario, type ScenarioName } from "../scenarios";
import { runCourse } from "../testing/course";

/** The scenarios that tell a story of their own: two hours of the model through the pipeline, judged period by period. */
const NOW_MS = Date.UTC(2026, 4, 1, 12);
const MINUTE_MS = 60_000;
const STORY_TIMEOUT_MS = 120_000;

function story(name: ScenarioName, nodes: number, fromMs: number): { readonly sick: readonly string[]; readonly views: readonly ReadonlyMap<string, NodeView>[] } {
  const plan = planScenario(name, { nodes, seed: "1", nowMs: NOW_MS });
  const views: ReadonlyMap<string, NodeView>[] = [];
  runCourse({
    plan,
    toMs: NOW_MS,
    look: (now, atMs) => {
      if (atMs >= fromMs) views.push(now);
    },
  });
  return { sick: [...plan.expected.keys()], views };
}

const rootsOf = (views: readonly ReadonlyMap<string, NodeView>[], node: string): ReadonlySet<string> => new Set(views.flatMap((now) => now.get(node)?.causes.map(({ code }) => code) ?? []));
const lastOf = (views: readonly ReadonlyMap<string, NodeView>[], node: string): NodeView | undefined => views.at(-1)?.get(node);

describe("a story of two hours", () => {
  it("retry-storm: for its last twenty minutes the limit is the root, with the storm and the failing stops under it", () => {
    const { sick, views } = story("retry-storm", 1, NOW_MS - 20 * MINUTE_MS);
    const [node = ""] = sick;
    expect(rootsOf(views, node)).toEqual(new Set(["daemon-cpu-throttled"]));
    const last = lastOf(views, node);
    expect(last?.answer.state).toBe("no");
    expect(last?.causes[0]?.consequences.map(({ code, certainty }) => [code, certainty])).toEqual(expect.arrayContaining([["retry-storm", "named"], ["teardown-failed", "named"]]));
  }, STORY_TIMEOUT_MS);

  it("oom-loop: a loop of kills is the root all the while, also in the seconds between two of them", () => {
    const { sick, views } = story("oom-loop", 1, NOW_MS - 37 * MINUTE_MS);
    const [node = ""] = sick;
    expect(rootsOf(views, node)).toEqual(new Set(["daemon-oom"]));
    expect(views.every((now) => now.get(node)?.causes[0]?.detail === "loop")).toBe(true);
  }, STORY_TIMEOUT_MS);

  it("demo: the sick nodes are sick of different things, and no other node is", () => {
    const { sick, views } = story("demo", 6, NOW_MS - 5 * MINUTE_MS);
    const roots = sick.map((node) => lastOf(views, node)?.causes.map(({ code }) => code));
    expect(roots).toEqual([["daemon-cpu-throttled"], ["plugin-binary-missing"]]);
    const well = [...(views.at(-1)?.values() ?? [])].filter(({ name }) => !sick.includes(name));
    expect(well.map(({ answer, causes }) => [answer.state, answer.atRisk, causes.length])).toEqual(well.map(() => ["yes", false, 0]));
  }, STORY_TIMEOUT_MS);

  it("storm-of-nodes: every node of the pool is said to be one of many, with the pool as what they share, and no other node is", () => {
    const { sick, views } = story("storm-of-nodes", 12, NOW_MS - 10 * MINUTE_MS);
    expect(sick).toHaveLength(4);
    for (const node of sick) {
      const last = lastOf(views, node);
      expect(last?.answer.state).toBe("no");
      expect(last?.causes.map(({ code, certainty }) => `${code} ${certainty}`).sort()).toEqual(["apiserver-unreachable suspected", "storm-of-nodes named"]);
      expect(last?.causes.find(({ code }) => code === "storm-of-nodes")?.summary).toContain("compute");
    }
    const well = [...(views.at(-1)?.values() ?? [])].filter(({ name }) => !sick.includes(name));
    expect(well.flatMap(({ causes }) => causes.map(({ code }) => code))).toEqual([]);
  }, STORY_TIMEOUT_MS);

  it.each(["healthy", "idle"] as const)("%s: nothing is ever found", (name) => {
    const { views } = story(name, 2, NOW_MS - 110 * MINUTE_MS);
    expect(views.flatMap((now) => [...now.values()].flatMap(({ causes }) => causes.map(({ summary }) => summary)))).toEqual([]);
  }, STORY_TIMEOUT_MS);
});
