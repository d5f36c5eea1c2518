import type { CniPlugins } from "./cni";
import type { Engine } from "./engine";
import type { Random } from "./random";
import type { PodRecord, SandboxRecord } from "./records";
import { DEADLINE_EXCEEDED, reservedName } from "./texts";

/** Making the sandbox itself: snapshot, network namespace, pause container. */
const CREATE_MS: readonly [number, number] = [60, 220];
const QUICK_MS: readonly [number, number] = [3, 12];
const REMOVE_MS: readonly [number, number] = [25, 120];
/** How long the runtime tries to take down the network of a sandbox that failed. */
const CLEANUP_TIMEOUT_MS = 60_000;

/** `undefined` error: it worked. */
export type RuntimeDone = (error: string | undefined) => void;

/**
 * The container runtime, as containerd behaves: a sandbox that failed is cleaned up within a minute or stays in the list
 * in an unknown state; its name stays reserved all the while, and it must be stopped before a new one is made.
 */
export class Runtime {
  /** What ListPodSandbox tells: a sandbox that is still being made is not among them. */
  readonly sandboxes = new Map<string, SandboxRecord>();
  private readonly byPod = new Map<string, SandboxRecord[]>();
  private readonly reserved = new Map<string, string>();

  constructor(
    private readonly engine: Engine,
    private readonly cni: CniPlugins,
    private readonly random: Random,
  ) {}

  /** Sandboxes of a pod, oldest attempt first. */
  ofPod(uid: string): readonly SandboxRecord[] {
    return this.byPod.get(uid) ?? [];
  }

  run(pod: PodRecord, attempt: number, timeoutMs: number, hostNetwork: boolean, done: RuntimeDone): void {
    const name = `${pod.name}_${pod.namespace}_${pod.uid}_${attempt}`;
    const holder = this.reserved.get(name);
    if (holder !== undefined) {
      this.engine.after(this.between(QUICK_MS), () => done(reservedName(name, holder)));
      return;
    }
    const id = this.random.hex(64);
    this.reserved.set(name, id);
    const record = (state: SandboxRecord["state"]): SandboxRecord => ({ id, podUid: pod.uid, namespace: pod.namespace, podName: pod.name, attempt, hostNetwork, state, createdMs: this.engine.nowMs, networkDown: hostNetwork });
    let answered = false;
    const answer: RuntimeDone = (error) => {
      if (answered) return;
      answered = true;
      deadline.cancelled = true;
      done(error);
    };
    let abandon = (): void => {};
    const deadline = this.engine.after(timeoutMs, () => {
      answer(DEADLINE_EXCEEDED);
      abandon();
    });
    this.engine.after(this.between(CREATE_MS), () => {
      if (hostNetwork) {
        this.list(record("ready"));
        answer(undefined);
        return;
      }
      const call = this.cni.add(pod, id, (error) => {
        abandon = () => {};
        if (error === undefined) {
          this.list(record("ready"));
          answer(undefined);
          return;
        }
        this.cleanUp(id, name, () => record("unknown"), () => answer(error));
      });
      abandon = () => {
        call.abandon();
        abandon = () => {};
        this.cleanUp(id, name, () => record("unknown"), () => {});
      };
    });
  }

  stop(sandbox: SandboxRecord, timeoutMs: number, done: RuntimeDone): void {
    if (sandbox.networkDown) {
      this.engine.after(this.between(QUICK_MS), () => {
        if (sandbox.state !== "dead") sandbox.state = "dead";
        done(undefined);
      });
      return;
    }
    let answered = false;
    const deadline = this.engine.after(timeoutMs, () => {
      answered = true;
      call.abandon();
      done(DEADLINE_EXCEEDED);
    });
    const call = this.cni.del(sandbox.id, (error) => {
      if (answered) return;
      deadline.cancelled = true;
      if (error === undefined) {
        sandbox.networkDown = true;
        sandbox.state = "dead";
      }
      done(error);
    });
  }

  /** Only of one that was stopped. */
  remove(sandbox: SandboxRecord, done: RuntimeDone): void {
    this.engine.after(this.between(REMOVE_MS), () => {
      this.unlist(sandbox);
      done(undefined);
    });
  }

  /** A sandbox from before the model begins. */
  adopt(sandbox: SandboxRecord): void {
    this.reserved.set(nameOf(sandbox), sandbox.id);
    this.list(sandbox);
  }

  /** Processes end with the power; what is on disk is listed again, dead. */
  powerOff(): void {
    for (const sandbox of this.sandboxes.values()) {
      sandbox.state = "dead";
      sandbox.networkDown = sandbox.hostNetwork;
    }
    this.reserved.clear();
    for (const s of this.sandboxes.values()) this.reserved.set(nameOf(s), s.id);
  }

  private cleanUp(id: string, name: string, left: () => SandboxRecord, done: () => void): void {
    let over = false;
    const giveUp = (): void => {
      if (over) return;
      over = true;
      this.list(left());
      done();
    };
    const timer = this.engine.after(CLEANUP_TIMEOUT_MS, () => {
      call.abandon();
      giveUp();
    });
    const call = this.cni.del(id, (error) => {
      if (over) return;
      timer.cancelled = true;
      if (error !== undefined) {
        giveUp();
        return;
      }
      over = true;
      this.reserved.delete(name);
      done();
    });
  }

  private list(sandbox: SandboxRecord): void {
    this.sandboxes.set(sandbox.id, sandbox);
    const siblings = this.byPod.get(sandbox.podUid);
    if (siblings === undefined) this.byPod.set(sandbox.podUid, [sandbox]);
    else siblings.push(sandbox);
  }

  private unlist(sandbox: SandboxRecord): void {
    this.sandboxes.delete(sandbox.id);
    this.reserved.delete(nameOf(sandbox));
    const left = this.ofPod(sandbox.podUid).filter((s) => s !== sandbox);
    if (left.length === 0) this.byPod.delete(sandbox.podUid);
    else this.byPod.set(sandbox.podUid, left);
  }

  private between(range: readonly [number, number]): number {
    return this.random.between(range[0], range[1]);
  }
}

const nameOf = (s: SandboxRecord): string => `${s.podName}_${s.namespace}_${s.podUid}_${s.attempt}`;
