import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../../clock";
import { parseNodeName, type NodeName } from "../../../domain/ids";
import type { KubeletPage, Observation } from "../../../domain/observation";
import { createLog } from "../../../log";
import type { NodeTarget } from "../address";
import { createDirectFetch } from "../direct";
import type { KubeletFetch } from "../fetch";
import { startKubeletSource, type KubeletSource, type KubeletSourceOptions } from "../scraper";
import { recorded, recordedGzip } from "./pages";
import { authority, serving, startKubelet, type Script, type ScriptedKubelet } from "./scripted-kubelet";

export const METRICS = "multus/retry-storm/kubelet-metrics-during.txt.gz";
const CADVISOR = "multus/retry-storm/cadvisor-metrics-during.txt.gz";
const CONFIGZ = JSON.stringify({ kubeletconfig: { runtimeRequestTimeout: "15s", syncFrequency: "1m0s" } });

export type KubeletObservation = Extract<Observation, { source: "kubelet" }>;

const ca = await authority();
const closers: (() => Promise<unknown>)[] = [];
/** Ends what a test started; for afterEach. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

export const named = (text: string): NodeName => {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`not a node name: ${text}`);
  return name;
};

/** A clock that stands still until it is moved; what is due then runs in order. */
export function steppedClock(startMs = 1_800_000_000_000): Clock & { advance(ms: number): Promise<void> } {
  let now = startMs;
  const timers = new Set<{ atMs: number; run: () => void }>();
  return {
    rate: 1,
    now: () => now,
    after: (ms, run) => {
      const timer = { atMs: now + Math.max(0, ms), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: async (ms) => {
      const end = now + ms;
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve)); // what ended meanwhile is noticed first
        const [next] = [...timers].filter((timer) => timer.atMs <= end).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.atMs);
        next.run();
      }
      now = end;
    },
  };
}

export interface Bench {
  readonly source: KubeletSource;
  readonly seen: KubeletObservation[];
  /** The first observation of that kind, seen or to come. */
  until(fits: (observation: KubeletObservation) => boolean): Promise<KubeletObservation>;
}

export function bench(fetch: KubeletFetch, nodes: () => Iterable<NodeTarget>, clock: Clock, extra: Partial<KubeletSourceOptions> = {}): Bench {
  const seen: KubeletObservation[] = [];
  const waiting = new Set<() => void>();
  const source = startKubeletSource({
    nodes,
    fetch,
    clock,
    log: createLog("silent", "test"),
    observe: (observation) => {
      if (observation.source !== "kubelet") throw new Error("not a kubelet's");
      seen.push(observation);
      waiting.forEach((look) => look());
    },
    wanted: (namespace) => namespace === "kube-system",
    cadvisorFast: () => false,
    random: () => 0.5,
    ...extra,
  });
  closers.push(source.stop);
  return {
    source,
    seen,
    until: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = seen.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

export const ok = (response: ServerResponse, body: string | Buffer, headers: Record<string, string> = {}): void => {
  response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8", ...headers }).end(body);
};
export const healthy: Script = (request, response) => {
  if (request.url === "/metrics") ok(response, recordedGzip(METRICS), { "content-encoding": "gzip" });
  else if (request.url === "/metrics/cadvisor") ok(response, recorded(CADVISOR));
  else ok(response, CONFIGZ, { "content-type": "application/json" });
};
/** The healthy kubelet, except that one page does something else. */
export const except =
  (path: string, other: (response: ServerResponse, request: IncomingMessage) => void): Script =>
  (request, response) =>
    request.url === path ? other(response, request) : healthy(request, response);

export async function kubelet(script: Script, names: readonly string[] = ["node-1"]): Promise<ScriptedKubelet> {
  const started = await startKubelet(await serving(ca, names), script);
  closers.push(started.close);
  return started;
}

export const targetOf = (server: ScriptedKubelet, name = "node-1"): NodeTarget => ({ name: named(name), kubeletPort: server.port, addresses: [{ type: "InternalIP", address: "127.0.0.1" }] });
export const direct = (): KubeletFetch =>
  createDirectFetch({
    tls: { mode: "verify", authorities: () => ca.certPem, pins: { known: () => undefined, firstSeen: () => {}, shown: () => {}, changed: () => {} } },
    credentials: () => Promise.resolve({ headers: { authorization: "Bearer token" } }),
    overrides: new Map(),
  });

export const is = (type: KubeletObservation["type"]) => (observation: KubeletObservation) => observation.type === type;
export const failedPage = (page: KubeletPage) => (observation: KubeletObservation) => observation.type === "failed" && observation.page === page;
