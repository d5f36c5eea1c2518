import { expect, it } from "vitest";
import type { Observation } from "../domain/observation";
import { sourceStatus } from "../domain/source-status";
import { agentReport } from "../domain/testing/builders";
import { nodeName } from "../domain/testing/builders";
import { NodeMemory } from "./node-memory";

const node = nodeName("node-07");
const failed = (atMs: number, timedOut?: boolean): Observation & { readonly source: "kubelet" } => ({ source: "kubelet", type: "failed", node, atMs, page: "metrics", reason: "no answer within 10 s", ...(timedOut === undefined ? {} : { timedOut }) });
const read = (atMs: number): Observation & { readonly source: "kubelet" } => ({ source: "kubelet", type: "metrics", node, atMs, tookMs: 1, metrics: { operations: {} } });
const cadvisor = (atMs: number): Observation & { readonly source: "kubelet" } => ({ source: "kubelet", type: "cadvisor", node, atMs, tookMs: 1, metrics: { containers: [], hasPressure: false } });

it("remembers of each kubelet page when it was read last and since when it fails, until it is read again", () => {
  const memory = new NodeMemory();
  const pages = () => memory.window({ kubelet: true, agents: false }).kubelet.pages;
  const take = (...all: (Observation & { readonly source: "kubelet" })[]) => all.forEach((one) => memory.kubeletPage(one, () => false));
  take(read(1_000), failed(2_000, true), failed(3_000, true), cadvisor(3_500));
  expect(pages()).toEqual({ metrics: { lastMs: 1_000, failingSinceMs: 2_000, timedOut: true }, cadvisor: { lastMs: 3_500 } });
  take(failed(4_000));
  expect(pages()?.metrics).toEqual({ lastMs: 1_000, failingSinceMs: 2_000, timedOut: false });
  take(read(5_000));
  expect(pages()?.metrics).toEqual({ lastMs: 5_000 });
});

it("keeps by how much the agent's clock differed at its last report, for whoever looks at its sources", () => {
  const memory = new NodeMemory();
  const agent = () => sourceStatus("agent", memory.window({ kubelet: false, agents: true }).agent, 60_000);
  memory.agentReport({ report: agentReport(), atMs: 50_000, clockBehindMs: -90_400 }, () => false);
  expect(agent()).toEqual({ source: "agent", freshness: "fresh", lastMs: 50_000, clockBehindSeconds: -90 });
  memory.agentReport({ report: agentReport(), atMs: 55_000 }, () => false);
  expect(agent()).not.toHaveProperty("clockBehindSeconds");
});

it("remembers that a page was read that holds no operation at all, until one does", () => {
  const memory = new NodeMemory();
  const gone = () => memory.window({ kubelet: true, agents: false }).kubelet.hasNoOperations;
  expect(gone()).toBeUndefined();
  memory.kubeletPage(read(1_000), () => false);
  expect(gone()).toBe(true);
  memory.kubeletPage(failed(2_000), () => false);
  expect(gone()).toBe(true);
  memory.kubeletPage({ source: "kubelet", type: "metrics", node, atMs: 3_000, tookMs: 1, metrics: { operations: { list_podsandbox: { buckets: [{ upTo: Infinity, count: 1 }] } } } }, () => false);
  expect(gone()).toBeUndefined();
});
