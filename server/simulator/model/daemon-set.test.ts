import { expect, it } from "vitest";
import { planScenario } from "../scenarios";
import { ClusterModel } from "./cluster";

const NOW_MS = Date.UTC(2026, 4, 1, 12);

it("tells each change of its status, also one that a node makes between two looks of the controller", () => {
  const plan = planScenario("healthy", { nodes: 3, seed: "rollout", nowMs: NOW_MS });
  const model = new ClusterModel(plan.cluster);
  plan.script(model);
  model.advance(NOW_MS);
  model.takeChanges();
  model.daemonSet.setTemplate({ resources: { ...model.daemonSet.resources, memoryLimitBytes: 2 ** 31 }, image: model.daemonSet.image });
  // What a client sees: the status as it was when the change was told, looked at after every second.
  let seen = model.daemonSet.status();
  const readiness: number[] = [];
  for (let second = 1; second <= 300; second++) {
    model.advance(NOW_MS + second * 1_000);
    if (model.takeChanges().daemonSet) seen = model.daemonSet.status();
    readiness.push(seen.ready);
    expect(seen).toEqual(model.daemonSet.status());
  }
  expect(seen).toEqual({ desired: 3, current: 3, ready: 3, updated: 3 });
  expect(Math.min(...readiness)).toBe(2);
});
