import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Fleet, NodeDetail, Status, Timeline } from "@/server/contract/schemas";
import { planScenario, type ScenarioName } from "@/server/simulator/scenarios";
import { BUNDLE, NODE, startProduct, until, type Product } from "./setup/product";
import { expect, test } from "./setup/test";

/** Every scenario must give the answer that it is named for, on the node that it befalls and on no other, through real sockets, the pipeline and the API. */
const SCENARIOS: readonly { readonly scenario: ScenarioName; readonly befallen?: Answer["state"]; readonly idle?: true; readonly what: string }[] = [
  { scenario: "healthy", what: "every node yes" },
  { scenario: "retry-storm", befallen: "no", what: "the stormy node no, the others yes" },
  { scenario: "oom-loop", befallen: "no", what: "the node whose daemon is killed again and again no, the others yes" },
  { scenario: "idle", idle: true, what: "every node yes, idle" },
  { scenario: "silent-node", befallen: "unknown", what: "the silent node unknown, the others yes" },
];
type Answer = Fleet["nodes"][number]["answer"];

for (const { scenario, befallen, idle, what } of SCENARIOS) {
  test(`scenario ${scenario}: ${what}`, async () => {
    const names = [...planScenario(scenario, { nodes: 6, seed: "1", nowMs: Date.now() }).expected.keys()];
    expect(names).toHaveLength(befallen === undefined ? 0 : 1);
    const product = await startProduct({ args: ["--simulate", "--scenario", scenario, "--nodes", "6"] });
    const holds = (name: string, answer: Answer): boolean => (names.includes(name) ? answer.state === befallen : answer.state === "yes" && (idle !== true || answer.idle));
    try {
      await until(what, 60_000, async () => {
        const fleet = await product.api<Fleet>("/api/v1/fleet");
        return fleet.nodes.length === 6 && fleet.nodes.every(({ name, answer }) => holds(name, answer)) ? true : undefined;
      });
    } finally {
      await product.stop();
    }
  });
}

test("a flapping API server changes no answer, and the page shows a banner with its age while it is away", async ({ page }) => {
  const product = await startProduct({ args: ["--simulate", "--scenario", "flapping-api", "--nodes", "6", "--speed", "3"] });
  try {
    await until("six nodes yes", 60_000, async () => ((await product.api<Fleet>("/api/v1/fleet")).counts.yes === 6 ? true : undefined));
    await page.goto(product.url);
    const banner = page.locator(".banner").filter({ hasText: /^The API server does not answer since .*, \d+ s ago[:.]/ });
    let sawAway = false;
    const endMs = Date.now() + 90_000;
    while (Date.now() < endMs && !sawAway) {
      const status = await product.api<Status>("/api/v1/status");
      if (status.api?.reachable === false) sawAway = await banner.isVisible();
      expect((await product.api<Fleet>("/api/v1/fleet")).counts).toMatchObject({ yes: 6, no: 0, unknown: 0 });
      await page.waitForTimeout(500);
    }
    expect(sawAway).toBe(true);
  } finally {
    await product.stop();
  }
});

test("a simulated cluster of another process says that it is one in the start line, the API and on the page, and is given no leave to act", async ({ page }) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-simulated-"));
  const kubeconfig = path.join(folder, "kubeconfig");
  const simulator = spawn(NODE, [BUNDLE, "simulate", "--nodes", "3", "--scenario", "healthy", "--kubeconfig", kubeconfig], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(simulator, "exit");
  try {
    let printed = "";
    simulator.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await until("the simulated cluster", 60_000, async () => (printed.includes("A simulated cluster") ? true : undefined));
    const product = await startProduct({ args: ["--kubeconfig", kubeconfig] });
    try {
      expect(product.output()).toMatch(/Cluster: simulated \(simulated\) at https:\/\/127\.0\.0\.1:\d+ \(v[^)]+\) as simulated-admin, actions off/);
      const status = await until("the cluster's name", 60_000, async () => {
        const found = await product.api<Status>("/api/v1/status");
        return found.cluster === undefined ? undefined : found;
      });
      expect(status).toMatchObject({ actionsAllowed: false, cluster: { uid: "simulated:healthy:1", simulated: true } });
      await page.goto(product.url);
      await expect(page.getByRole("banner").getByText("Simulated", { exact: true })).toBeVisible();
    } finally {
      await product.stop();
    }
  } finally {
    simulator.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});

test.describe("the default view", () => {
  let product: Product;
  test.beforeAll(async () => {
    product = await startProduct({ args: ["--simulate"] });
  });
  test.afterAll(() => product?.stop());

  test("holds 24 nodes in three pools within 15 s of the page being up, both sick ones no, while its past is still being filled in", async () => {
    const { fleet, before } = await until("24 nodes and two no", 15_000, async () => {
      const status = await product.api<Status>("/api/v1/status");
      const found = await product.api<Fleet>("/api/v1/fleet");
      return found.nodes.length === 24 && found.counts.no === 2 ? { fleet: found, before: status } : undefined;
    });
    expect(before.backfill?.doneShare).toBeLessThan(1); // two hours of 24 nodes take some seconds at the least, the fleet a moment
    expect(new Set(fleet.nodes.map((node) => node.pool)).size).toBe(3);
    expect(fleet.cluster?.simulated).toBe(true);
  });

  test("gets two hours of history through the pipeline, and then since when each answer holds", async () => {
    test.setTimeout(240_000);
    await until("the past filled in", 200_000, async () => ((await product.api<Status>("/api/v1/status")).backfill === undefined ? true : undefined));
    const sick = (await product.api<Fleet>("/api/v1/fleet")).nodes.filter((node) => node.answer.state === "no");
    expect(sick).toHaveLength(2);
    for (const { name } of sick) {
      await until("since when it cannot", 60_000, async () => (Date.now() - Date.parse((await product.api<NodeDetail>(`/api/v1/nodes/${name}`)).answer.since) > 10 * 60_000 ? true : undefined));
      const from = new Date(Date.now() - 110 * 60_000).toISOString();
      const timeline = await product.api<Timeline>(`/api/v1/nodes/${name}/timeline?from=${from}&signals=pods.waiting,sandbox.backlog,cri.run_sandbox.calls`);
      expect(timeline.answers.map((span) => span.state)).toEqual(expect.arrayContaining(["yes", "no"]));
      const coarse = await product.api<Timeline>(`/api/v1/nodes/${name}/timeline?from=${from}&signals=pods.stuck&points=60`);
      expect(coarse.series[0]?.at.length ?? 0, "points of a coarse view").toBeGreaterThan(40);
      for (const signal of ["pods.waiting", "sandbox.backlog", "cri.run_sandbox.calls"]) {
        const first = timeline.series.find((series) => series.signal === signal)?.at[0];
        expect.soft(Date.now() - (first ?? Date.now()), signal).toBeGreaterThan(100 * 60_000);
      }
    }
  });
});
