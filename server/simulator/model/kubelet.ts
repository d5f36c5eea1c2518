import { DEFAULT_BUCKETS, OperationHistogram } from "./histogram";
import { aboutNode, aboutPod, EVENT_TTL_MS } from "./recorder";
import type { PodRecord, SandboxRecord } from "./records";
import { DEADLINE_EXCEEDED } from "./texts";
import { PodWorker, type KubeletContext } from "./worker";

/** The kubelet collects dead sandboxes once a minute, one after the other. */
export const GC_PERIOD_MS = 60_000;
/** Looking for changes, it lists the sandboxes once a second; counted in batches, since nothing rests on one of them. */
const RELIST_BATCH_MS = 10_000;
const RELISTS_IN_BATCH = 10;
const LIST_BASE_SECONDS = 0.003;
const LIST_SECONDS_PER_SANDBOX = 0.00004;
const REMEMBER_MS = 600_000;

export type KubeletParts = Omit<KubeletContext, "operation" | "ran" | "forget" | "sandboxReady"> & {
  readonly nodeName: string;
  /** The object of a pod that was being deleted is gone. */
  readonly gone: (pod: PodRecord) => void;
};

export class Kubelet {
  readonly pods = new Map<string, PodRecord>();
  readonly operations = new Map<string, OperationHistogram>();
  /** The older histogram of the same calls, which ends at ten seconds. */
  runDurations = new OperationHistogram(DEFAULT_BUCKETS);
  startedMs = 0;
  startedPods = 0;
  /** When a sandbox that needed the CNI last became ready. */
  lastFreshMs: number | undefined;
  private readonly workers = new Map<string, PodWorker>();
  private readonly context: KubeletContext;

  constructor(private readonly parts: KubeletParts) {
    this.context = {
      ...parts,
      operation: (name) => this.operation(name),
      ran: (seconds, failed) => {
        this.operation("run_podsandbox").observe(seconds, failed);
        this.runDurations.observe(seconds, failed);
      },
      forget: (pod) => this.forget(pod),
      sandboxReady: (pod) => {
        this.startedPods += 1;
        if (!parts.hostNetwork(pod)) this.lastFreshMs = parts.engine.nowMs;
      },
    };
  }

  /** Counters start at nothing; every pod that is bound here gets its worker. */
  start(): void {
    this.startedMs = this.parts.engine.nowMs;
    this.operations.clear();
    this.runDurations = new OperationHistogram(DEFAULT_BUCKETS);
    this.startedPods = 0;
    this.workers.clear();
    for (const pod of this.pods.values()) this.workers.set(pod.uid, new PodWorker(this.context, pod));
    this.parts.engine.after(GC_PERIOD_MS * this.parts.random.float(), () => this.collect());
    this.relist();
    this.tidy();
  }

  add(pod: PodRecord): void {
    this.pods.set(pod.uid, pod);
    this.workers.set(pod.uid, new PodWorker(this.context, pod));
  }

  wake(uid: string): void {
    this.workers.get(uid)?.wake();
  }

  /** Its object was taken away while the node was not there: nothing ends it but the garbage collector. */
  drop(uid: string): void {
    this.pods.delete(uid);
    this.workers.delete(uid);
  }

  operation(name: string): OperationHistogram {
    const known = this.operations.get(name);
    if (known !== undefined) return known;
    const made = new OperationHistogram();
    this.operations.set(name, made);
    return made;
  }

  private forget(pod: PodRecord): void {
    this.drop(pod.uid);
    this.parts.gone(pod);
    this.parts.sink.podGone(pod);
  }

  private collect(): void {
    const { runtime, engine } = this.parts;
    if (runtime.frozen) {
      engine.after(this.parts.runtimeRequestTimeoutMs, () => {
        this.parts.events.record(engine.nowMs, aboutNode(this.parts.nodeName), "Warning", "ContainerGCFailed", DEADLINE_EXCEEDED);
        engine.after(GC_PERIOD_MS, () => this.collect());
      });
      return;
    }
    const left: SandboxRecord[] = [];
    for (const sandbox of runtime.sandboxes.values()) {
      if (sandbox.state === "ready") continue;
      const newest = this.pods.has(sandbox.podUid) && runtime.ofPod(sandbox.podUid).at(-1) === sandbox;
      if (!newest) left.push(sandbox);
    }
    left.reverse();
    const next = (): void => {
      const sandbox = left.pop();
      if (sandbox === undefined) {
        engine.after(GC_PERIOD_MS, () => this.collect());
        return;
      }
      if (!runtime.sandboxes.has(sandbox.id)) {
        next();
        return;
      }
      const beganMs = engine.nowMs;
      runtime.stop(sandbox, this.parts.runtimeRequestTimeoutMs, (error) => {
        this.operation("stop_podsandbox").observe((engine.nowMs - beganMs) / 1_000, error !== undefined);
        if (error !== undefined) {
          next();
          return;
        }
        const removeMs = engine.nowMs;
        runtime.remove(sandbox, () => {
          this.operation("remove_podsandbox").observe((engine.nowMs - removeMs) / 1_000, false);
          next();
        });
      });
    };
    next();
  }

  private relist(): void {
    const { random, runtime, engine } = this.parts;
    const seconds = (): number => LIST_BASE_SECONDS + runtime.sandboxes.size * LIST_SECONDS_PER_SANDBOX * (0.7 + 0.6 * random.float());
    for (let i = 0; i < 2 && !runtime.frozen; i++) this.operation("list_podsandbox").observe(seconds(), false, RELISTS_IN_BATCH / 2);
    engine.after(RELIST_BATCH_MS, () => this.relist());
  }

  private tidy(): void {
    this.parts.events.forget(this.parts.engine.nowMs);
    this.parts.engine.after(Math.min(REMEMBER_MS, EVENT_TTL_MS), () => this.tidy());
  }
}

export const recordStarted = (context: Pick<KubeletContext, "events" | "engine">, pod: PodRecord): void => {
  const about = aboutPod(pod, pod.container.name);
  const nowMs = context.engine.nowMs;
  context.events.record(nowMs, about, "Normal", "Pulled", `Container image "${pod.container.image}" already present on machine and can be accessed by the pod`);
  context.events.record(nowMs, about, "Normal", "Created", "Container created");
  context.events.record(nowMs, about, "Normal", "Started", "Container started");
};
