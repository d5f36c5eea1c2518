import { monotonicMs, systemClock, type Clock } from "../clock";
import type { Observation } from "../domain/observation";
import type { Log } from "../log";
import { issueCertificate, makeAuthority, type Validity } from "../pki";
import { startAgents, type AgentsOptions, type SimulatedAgents } from "./agents";
import { Users, type SimulatedUser } from "./api/access";
import { ClusterBridge } from "./api/bridge";
import { SimulatedApiServer } from "./api/server";
import { ObjectStore } from "./api/store";
import { SimulationControl } from "./control";
import { history, type HistoryOptions } from "./history";
import { kubeconfigText } from "./kubeconfig";
import { SimulatedKubelets } from "./kubelets";
import { ClusterModel } from "./model/cluster";
import { Random } from "./model/random";
import { EVENT_TTL_MS } from "./model/recorder";
import type { EventRecord } from "./model/records";
import { planScenario, type ScenarioName, type ScenarioPlan } from "./scenarios";

const HOST = "127.0.0.1";
/** How often the model is brought up to the clock, real time. */
export const TICK_MS = 250;
/** The model's past is run in pieces of this length, so that the process stays answerable meanwhile. */
const RUN_UP_STEP_MS = 60_000;
/** Every node's object is refreshed once in five minutes, like a kubelet's full status report, a part of them at a time. */
const REFRESH_MS = 10_000;
const REFRESH_PARTS = 30;
const CERTIFICATE_YEARS_MS = 365 * 86_400_000;
const CLOCK_TOLERANCE_MS = 3_600_000;

export interface SimulationOptions {
  readonly nodes: number;
  readonly scenario: ScenarioName;
  readonly seed: string;
  /** Its rate is the simulation's speed. */
  readonly clock: Clock;
  readonly log: Log;
  /** Port of the API server; 0 takes a free one. */
  readonly port?: number;
}

export interface Simulation {
  /** YAML, with a context for each user; the administrator's is current. */
  readonly kubeconfig: string;
  readonly server: string;
  readonly caPem: string;
  readonly users: { readonly admin: SimulatedUser; readonly viewer: SimulatedUser; readonly limited: SimulatedUser };
  /** `simulated:<scenario>:<seed>`, also the uid of kube-system. */
  readonly uid: string;
  readonly plan: ScenarioPlan;
  readonly nodeNames: readonly string[];
  /** From here on the cluster is watched live; before it, `history` tells. */
  readonly liveSinceMs: number;
  readonly control: SimulationControl;
  startAgents(options: AgentsOptions): SimulatedAgents;
  /** The past, in the order of time; see history.ts. */
  history(fromMs: number, toMs: number, stepMs: number, options?: Omit<HistoryOptions, "fromMs" | "toMs" | "stepMs">): Iterable<Observation>;
  stop(): Promise<void>;
}

/** Runs the model up to now, then serves it over sockets on loopback and lets it live on. */
export async function startSimulation(options: SimulationOptions): Promise<Simulation> {
  const { clock, log, nodes, scenario, seed } = options;
  const plan = planScenario(scenario, { nodes, seed, nowMs: clock.now() });
  const model = new ClusterModel(plan.cluster);
  plan.script(model);
  const events = await runUp(model, clock);
  const liveSinceMs = model.nowMs;

  const nowMs = systemClock.now(); // TLS runs on real time
  const validity: Validity = { notBeforeMs: nowMs - CLOCK_TOLERANCE_MS, notAfterMs: nowMs + CERTIFICATE_YEARS_MS };
  const authority = await makeAuthority("sandglass simulated cluster", validity);
  const ids = new Random(`${plan.cluster.seed}/users`);
  const users = new Users(() => ids.uuid());
  const kubelets = new SimulatedKubelets(model, users, log);
  await kubelets.listen(HOST, authority, validity);
  const bridge = new ClusterBridge(model, new ObjectStore(), (node) => kubelets.ports.get(node) ?? 0);
  bridge.load(events);
  const certificate = await issueCertificate(authority, { commonName: "kube-apiserver", names: [HOST, "localhost", "kubernetes", "kubernetes.default.svc"], usage: "server" }, validity);
  const api = new SimulatedApiServer({ bridge, users, certificate, host: HOST, port: options.port ?? 0, clock, log, proxy: kubelets.proxy });
  const server = `https://${HOST}:${await api.listen()}`;
  const control = new SimulationControl(model, bridge, api, clock, log);
  if (plan.flappingApi) control.flapApi(true);

  const agents = new Set<SimulatedAgents>();
  const stopTicking = live(model, bridge, clock, log);
  return {
    kubeconfig: kubeconfigText(server, authority.certPem, users),
    server,
    caPem: authority.certPem,
    users: users.byRole,
    uid: model.systemUid,
    plan,
    nodeNames: [...model.nodes.keys()],
    liveSinceMs,
    control,
    startAgents: (to) => {
      const started = startAgents(model.nodes.values(), to, { clock, seed, log });
      agents.add(started);
      return started;
    },
    history: (fromMs, toMs, stepMs, more = {}) => history(plan, { kubeletPort: (node) => kubelets.ports.get(node) ?? 0, ...more, fromMs, toMs, stepMs }),
    stop: async () => {
      stopTicking();
      control.stop();
      await Promise.all([...agents].map((one) => one.stop()));
      await api.close();
      await kubelets.close();
    },
  };
}

/** From the model's beginning to now; gives the events that an API server would still have. */
async function runUp(model: ClusterModel, clock: Clock): Promise<readonly EventRecord[]> {
  let events = new Set<EventRecord>();
  for (;;) {
    const left = clock.now() - model.nowMs;
    model.advance(model.nowMs + Math.min(left, RUN_UP_STEP_MS));
    for (const event of model.takeChanges().events) events.add(event);
    if (left <= RUN_UP_STEP_MS) break;
    events = new Set([...events].filter((event) => model.nowMs - event.lastMs <= EVENT_TTL_MS));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [...events];
}

/** Brings the model up to the clock again and again, and the objects up to the model. */
function live(model: ClusterModel, bridge: ClusterBridge, clock: Clock, log: Log): () => void {
  let refreshedMs = model.nowMs;
  let saidLate = false;
  let cancel = (): void => {};
  const tick = (): void => {
    cancel = systemClock.after(TICK_MS, () => {
      const startedMs = monotonicMs();
      model.advance(clock.now());
      bridge.sync();
      if (model.nowMs - refreshedMs >= REFRESH_MS) {
        refreshedMs = model.nowMs;
        bridge.refreshNodes(REFRESH_PARTS);
        bridge.expireEvents();
      }
      if (monotonicMs() - startedMs > TICK_MS && !saidLate) {
        saidLate = true;
        log.warn({ tookMs: Math.round(monotonicMs() - startedMs) }, "the simulated cluster cannot keep up with its speed");
      }
      tick();
    });
  };
  tick();
  return () => cancel();
}
