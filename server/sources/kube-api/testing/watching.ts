import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { scaledClock, type Clock } from "../../../clock";
import type { KindStatus, Observation, WatchedKind } from "../../../domain/observation";
import { createLog } from "../../../log";
import { loadConnection, type Connection } from "../connect";
import type { WatchLimits } from "../limits";
import { startKubeApiSource, type KubeApiSource } from "../source";
import type { ScriptedApiServer } from "./scripted-api-server";

const PATIENCE_MS = 20_000;
const LOOK_MS = 5;

/** What a consumer knows that does nothing but take observations: the objects, by kind and key. */
export class Mirror {
  readonly statuses: KindStatus[] = [];
  readonly seen: Observation[] = [];
  readonly #objects = new Map<WatchedKind, Map<string, unknown>>();

  readonly observe = (observation: Observation): void => {
    this.seen.push(observation);
    if (observation.source === "api") this.#take(observation);
  };

  keys(kind: WatchedKind): readonly string[] {
    return [...this.#of(kind).keys()].sort();
  }

  object(kind: WatchedKind, key: string): unknown {
    return this.#of(kind).get(key);
  }

  status(kind: WatchedKind): KindStatus | undefined {
    return this.statuses.findLast((status) => status.kind === kind);
  }

  states(kind: WatchedKind): readonly string[] {
    return this.statuses.filter((status) => status.kind === kind).map((status) => status.state);
  }

  /** Looks until `holds` is true; fails after a time that a busy machine does not need. */
  async until(holds: () => boolean): Promise<void> {
    const endMs = Date.now() + PATIENCE_MS;
    while (!holds()) {
      if (Date.now() > endMs) throw new Error(`it never came to ${holds}; statuses: ${JSON.stringify(this.statuses.slice(-5))}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  #take(observation: Extract<Observation, { source: "api" }>): void {
    switch (observation.type) {
      case "node": return void this.#of("nodes").set(observation.object.name, observation.object);
      case "node-gone": return void this.#of("nodes").delete(observation.name);
      case "pod": return void this.#of("pods").set(observation.object.uid, observation.object);
      case "pod-gone": return void this.#of("pods").delete(observation.uid);
      case "event": return void this.#of("events").set(observation.object.uid, observation.object);
      case "daemonset": return void this.#of("daemonsets").set(observation.object.uid, observation.object);
      case "daemonset-gone": return void this.#of("daemonsets").delete(observation.uid);
      case "revisions": return;
      case "nad": return void this.#of("nads").set(observation.key, observation);
      case "nad-gone": return void this.#of("nads").delete(observation.key);
      case "listed":
        for (const key of this.#of(observation.kind).keys()) if (observation.kind !== "events" && !observation.keys.has(key)) this.#of(observation.kind).delete(key);
        return;
      case "kind-status": return void this.statuses.push(observation.status);
    }
  }

  #of(kind: WatchedKind): Map<string, unknown> {
    let objects = this.#objects.get(kind);
    if (objects === undefined) this.#objects.set(kind, (objects = new Map()));
    return objects;
  }
}

export interface Watching {
  readonly mirror: Mirror;
  readonly source: KubeApiSource;
  readonly connection: Connection;
  readonly clock: Clock;
  stop(): Promise<void>;
}

/** The scripted server sends no bookmarks of itself: only a test about silence wants a quiet stream cut (18 s of a slow machine's time). */
const PATIENT_STALL_MS = 1_800_000;

/** How much faster than real the tests' clock runs: a pause of 30 s is 0.3 s. */
export const RATE = 100;

export async function connectTo(server: ScriptedApiServer, user?: Record<string, unknown>, cluster?: Record<string, unknown>): Promise<Connection> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "sandglass-kube-"));
  try {
    const file = path.join(dir, "config");
    await writeFile(file, server.kubeconfig(user, cluster));
    const connection = await loadConnection({ kubeconfig: file, environment: { home: dir } });
    if (connection === undefined) throw new Error("no connection");
    return connection;
  } finally {
    await rm(dir, { recursive: true });
  }
}

export async function watch(server: ScriptedApiServer, options: { readonly kinds?: readonly WatchedKind[]; readonly limits?: Partial<WatchLimits>; readonly rate?: number; readonly random?: () => number } = {}): Promise<Watching> {
  const connection = await connectTo(server);
  const mirror = new Mirror();
  const clock = scaledClock(Date.now(), options.rate ?? RATE);
  const source = startKubeApiSource({
    connection,
    observe: mirror.observe,
    clock,
    log: createLog("silent", "test"),
    kinds: options.kinds ?? ["pods"],
    isDaemonPod: () => false,
    ...(options.random === undefined ? {} : { random: options.random }),
    limits: { stallMs: PATIENT_STALL_MS, ...options.limits },
  });
  return {
    mirror,
    source,
    connection,
    clock,
    stop: async () => {
      await source.stop();
      await connection.close();
    },
  };
}
