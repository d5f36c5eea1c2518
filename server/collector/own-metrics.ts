import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { actionableError } from "../errors";
import type { NodeView } from "../domain/node-view";
import { podsSeen } from "../domain/pods-seen";
import { isLocalHost } from "../local-host";
import type { Log } from "../log";
import type { CollectorStatus } from "../store/types";

const STATES = ["yes", "no", "unknown"] as const;
/** Nodes that get a series of their own; beyond it only the counts are told, and that is told too. */
export const MAX_NODES_IN_METRICS = 10_000;

/** What Sandglass tells of itself and of the fleet, in Prometheus' format on a port of its own. Unknown is a state, never a missing no. */
export interface OwnMetrics {
  tick(seconds: number): void;
  rows(kind: "samples" | "events" | "views", count: number): void;
  /** The fleet and Sandglass as they are now; every gauge is set anew, so that a node that left has no series. */
  update(views: Iterable<NodeView>, status: CollectorStatus): void;
  serve(port: number, host: string): Promise<{ readonly port: number; close(): Promise<void> }>;
}

export function createOwnMetrics(log: Log): OwnMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "sandglass_" });
  const gauge = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) => new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
  const nodes = gauge("sandglass_nodes", "Nodes by answer", ["state"]);
  const answer = gauge("sandglass_node_answer", "1 for the answer that the node has now", ["node", "state"]);
  const waiting = gauge("sandglass_node_pods_waiting", "Pods of the node that wait for a sandbox and nothing else; no series while its pods cannot be seen", ["node"]);
  const left = gauge("sandglass_nodes_without_series", "Nodes beyond the bound of sandglass_node_answer");
  const apiUp = gauge("sandglass_api_reachable", "1 while the API server answers");
  const failing = gauge("sandglass_kubelets_failing", "Kubelets whose last scrape failed");
  const lateness = gauge("sandglass_scrape_late_seconds", "Largest lateness of a scrape in the last period");
  const writable = gauge("sandglass_store_writable", "1 while the store can be written");
  const refusedRows = gauge("sandglass_refused_rows", "Rows given up since the start, since the store refused them and nothing else");
  const dropped = gauge("sandglass_dropped_samples", "Samples that were lost: given up while the store could not be written, or of a time that it does not hold");
  const reports = new Counter({ name: "sandglass_agent_reports_total", help: "Reports of agents that were taken", registers: [registry] });
  const refused = new Counter({ name: "sandglass_agent_dropped_total", help: "Messages to the agent port that were dropped, by reason", labelNames: ["reason"], registers: [registry] });
  const turnedAway = new Counter({ name: "sandglass_agent_connections_turned_away_total", help: "Connections to the agent port that were closed at once because there were too many", registers: [registry] });
  const connections = gauge("sandglass_agent_connections", "Connections to the agent port that are open");
  const identity = gauge("sandglass_agent_tokens_checked", "0 while the service-account tokens of agents cannot be checked");
  const lostReports = gauge("sandglass_agent_reports_lost", "Reports that agents gave up since each of them started, since they could not send them; of those that tell", ["reason"]);
  const tellLosses = gauge("sandglass_agents_telling_losses", "Agents heard now, by whether they tell how many reports they gave up", ["tells"]);
  /** What nobody tells has no series: it is not none. */
  const losses = (views: readonly NodeView[]): void => {
    const told = views.flatMap(({ lostReports: lost }) => lost ?? []);
    const silent = views.filter(({ lostReports: lost, sources }) => lost === undefined && sources.some(({ source, freshness }) => source === "agent" && freshness === "fresh"));
    lostReports.reset();
    if (told.length > 0) {
      lostReports.set({ reason: "thinned" }, told.reduce((sum, { thinned }) => sum + thinned, 0));
      lostReports.set({ reason: "too-old" }, told.reduce((sum, { tooOld }) => sum + tooOld, 0));
    }
    tellLosses.set({ tells: "yes" }, told.length);
    tellLosses.set({ tells: "no" }, silent.length);
  };
  /** What the listener counted when it was last looked at; a counter here takes the difference. */
  let told: { readonly accepted: number; readonly turnedAway: number; readonly dropped: Readonly<Record<string, number>> } = { accepted: 0, turnedAway: 0, dropped: {} };
  const agents = ({ accepted = 0, turnedAway: away = 0, dropped: byReason, identityTrouble, connections: open = 0 }: CollectorStatus["agents"]): void => {
    reports.inc(accepted - told.accepted);
    turnedAway.inc(away - told.turnedAway);
    for (const [reason, count] of Object.entries(byReason)) refused.inc({ reason }, count - (told.dropped[reason] ?? 0));
    told = { accepted, turnedAway: away, dropped: byReason };
    connections.set(open);
    identity.set(identityTrouble === undefined ? 1 : 0);
  };
  const ticks = new Histogram({ name: "sandglass_tick_seconds", help: "Judging and writing what changed", buckets: [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 1], registers: [registry] });
  const rows = new Counter({ name: "sandglass_rows_total", help: "Rows handed to the store", labelNames: ["kind"], registers: [registry] });

  /** Before the first look a gauge would say 0 of what nobody has looked at. */
  let looked = false;

  return {
    tick: (seconds) => ticks.observe(seconds),
    rows: (kind, count) => rows.inc({ kind }, count),
    update(seen, status) {
      const all = [...seen];
      looked = true;
      const counts = { yes: 0, no: 0, unknown: 0 };
      answer.reset();
      waiting.reset();
      let withSeries = 0;
      for (const view of all) {
        counts[view.answer.state] += 1;
        if (withSeries >= MAX_NODES_IN_METRICS) continue;
        withSeries += 1;
        for (const state of STATES) answer.set({ node: view.name, state }, state === view.answer.state ? 1 : 0);
        if (podsSeen(view)) waiting.set({ node: view.name }, view.counts.waiting);
      }
      for (const state of STATES) nodes.set({ state }, counts[state]);
      left.set(all.length - withSeries);
      apiUp.set(status.api.reachable ? 1 : 0);
      failing.set(status.kubelet.failing);
      lateness.set(status.kubelet.lateMs / 1_000);
      writable.set(status.store.writable ? 1 : 0);
      dropped.set(status.store.droppedSamples);
      refusedRows.set(status.store.refused?.rows ?? 0);
      agents(status.agents);
      losses(all);
    },
    async serve(port, host) {
      const server: Server = createServer((request, response) => {
        if (!isLocalHost(request.headers.host)) {
          response.writeHead(421, { "content-type": "text/plain" }).end("Ask for localhost, 127.0.0.1 or [::1]: another host name is not served.\n");
          return;
        }
        if (request.method !== "GET" || request.url !== "/metrics") {
          response.writeHead(404, { "content-type": "text/plain" }).end("Only GET /metrics is served here.\n");
          return;
        }
        if (!looked) {
          response.writeHead(503, { "content-type": "text/plain", "retry-after": "1" }).end("Nothing was looked at yet.\n");
          return;
        }
        registry.metrics().then(
          (text) => response.writeHead(200, { "content-type": registry.contentType, "cache-control": "no-store" }).end(text),
          (err: unknown) => {
            log.error({ err }, "own metrics");
            response.writeHead(500).end();
          },
        );
      });
      server.headersTimeout = 5_000;
      server.requestTimeout = 10_000;
      server.maxConnections = 32;
      server.listen(port, host);
      try {
        await once(server, "listening");
      } catch (cause) {
        throw actionableError(`Port ${port} for --metrics-port cannot be opened (${(cause as NodeJS.ErrnoException).code ?? "unknown reason"}). Choose another.`, cause);
      }
      return {
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((resolve) => {
            server.closeAllConnections();
            server.close(() => resolve());
          }),
      };
    },
  };
}
