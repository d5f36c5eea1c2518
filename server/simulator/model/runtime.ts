import { ownerOf, type CniPlugins } from "./cni";
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

/** One call of the kubelet's. */
interface DeadlineCall {
  over: boolean;
  /** What is to be done when the caller's time is up. */
  onDeadline: () => void;
  readonly answer: RuntimeDone;
}

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
  /** Sandboxes whose network namespace is there: from before their network is set up until it was taken down. */
  readonly netns = new Set<string>();
  /** What was asked or came to an end while the runtime stood still. */
  private readonly held: (() => void)[] = [];
  private standing = false;
  /** Something on the node takes namespaces away that it does not know, those of sandboxes under way among them. */
  losesNamespaces = false;
  /** A failed sandbox is cleaned up, and its name stays taken. */
  keepsNames = false;

  constructor(
    private readonly engine: Engine,
    private readonly cni: Pick<CniPlugins, "add" | "del">,
    private readonly random: Random,
  ) {}

  /** It does nothing and answers nobody until it goes on: a stopped process, or a disk that does not answer. */
  get frozen(): boolean {
    return this.standing;
  }

  freeze(frozen: boolean): void {
    this.standing = frozen;
    if (frozen) return;
    for (const run of this.held.splice(0)) run();
  }

  private whenMoving(run: () => void): void {
    if (this.standing) this.held.push(run);
    else run();
  }

  /** Sandboxes of a pod, oldest attempt first. */
  ofPod(uid: string): readonly SandboxRecord[] {
    return this.byPod.get(uid) ?? [];
  }

  run(pod: PodRecord, attempt: number, timeoutMs: number, hostNetwork: boolean, done: RuntimeDone): void {
    const call = this.withDeadline(timeoutMs, done);
    this.whenMoving(() => this.runNow(pod, attempt, hostNetwork, call));
  }

  private runNow(pod: PodRecord, attempt: number, hostNetwork: boolean, call: DeadlineCall): void {
    if (call.over) return;
    const name = `${pod.name}_${pod.namespace}_${pod.uid}_${attempt}`;
    const holder = this.reserved.get(name);
    if (holder !== undefined) {
      this.engine.after(this.between(QUICK_MS), () => call.answer(reservedName(name, holder)));
      return;
    }
    const id = this.random.hex(64);
    this.reserved.set(name, id);
    const record = (state: SandboxRecord["state"]): SandboxRecord => ({ id, podUid: pod.uid, namespace: pod.namespace, podName: pod.name, attempt, hostNetwork, state, createdMs: this.engine.nowMs, networkDown: hostNetwork });
    const { answer } = call;
    this.engine.after(this.between(CREATE_MS), () => {
      if (hostNetwork) {
        this.list(record("ready"));
        answer(undefined);
        return;
      }
      if (!this.losesNamespaces) this.netns.add(id);
      const added = this.cni.add(pod, id, (error) => {
        call.onDeadline = () => {};
        this.whenMoving(() => {
          if (error === undefined && !call.over) {
            this.list(record("ready"));
            answer(undefined);
            return;
          }
          this.cleanUp(record("unknown"), name, () => answer(error));
        });
      });
      call.onDeadline = () => {
        added.abandon();
        call.onDeadline = () => {};
        this.whenMoving(() => this.cleanUp(record("unknown"), name, () => {}));
      };
      if (call.over) call.onDeadline();
    });
  }

  stop(sandbox: SandboxRecord, timeoutMs: number, done: RuntimeDone): void {
    const call = this.withDeadline(timeoutMs, done);
    this.whenMoving(() => this.stopNow(sandbox, call));
  }

  private stopNow(sandbox: SandboxRecord, call: DeadlineCall): void {
    if (call.over) return;
    if (sandbox.networkDown) {
      this.engine.after(this.between(QUICK_MS), () => {
        if (sandbox.state !== "dead") sandbox.state = "dead";
        call.answer(undefined);
      });
      return;
    }
    const deleted = this.cni.del(ownerOf(sandbox), (error) => {
      if (call.over) return;
      this.whenMoving(() => {
        if (error === undefined) {
          sandbox.networkDown = true;
          sandbox.state = "dead";
          this.netns.delete(sandbox.id);
        }
        call.answer(error);
      });
    });
    call.onDeadline = () => deleted.abandon();
  }

  /** Only of one that was stopped. */
  remove(sandbox: SandboxRecord, done: RuntimeDone): void {
    this.whenMoving(() =>
      this.engine.after(this.between(REMOVE_MS), () => {
        this.unlist(sandbox);
        done(undefined);
      }),
    );
  }

  /** The sandbox and all that the runtime knows of it go without a word to any plugin: its data was thrown away. */
  lose(sandbox: SandboxRecord): void {
    this.netns.delete(sandbox.id);
    this.unlist(sandbox);
  }

  /** A restart of the runtime: a name belongs to a sandbox that is listed, or to nobody. */
  freeNames(): void {
    for (const [name, id] of this.reserved) if (!this.sandboxes.has(id) && !this.netns.has(id)) this.reserved.delete(name);
  }

  /** A sandbox from before the model begins. */
  adopt(sandbox: SandboxRecord): void {
    this.reserved.set(nameOf(sandbox), sandbox.id);
    if (!sandbox.hostNetwork) this.netns.add(sandbox.id);
    this.list(sandbox);
  }

  /** Processes end with the power; what is on disk is listed again, dead. */
  powerOff(): void {
    for (const sandbox of this.sandboxes.values()) {
      sandbox.state = "dead";
      sandbox.networkDown = sandbox.hostNetwork;
    }
    this.reserved.clear();
    this.netns.clear();
    this.held.length = 0;
    this.standing = false;
    for (const s of this.sandboxes.values()) this.reserved.set(nameOf(s), s.id);
  }

  private cleanUp(left: SandboxRecord, name: string, done: () => void): void {
    let over = false;
    const giveUp = (): void => {
      if (over) return;
      over = true;
      this.list(left);
      done();
    };
    const timer = this.engine.after(CLEANUP_TIMEOUT_MS, () => {
      call.abandon();
      giveUp();
    });
    const call = this.cni.del(ownerOf(left), (error) => {
      if (over) return;
      timer.cancelled = true;
      if (error !== undefined) {
        giveUp();
        return;
      }
      over = true;
      this.netns.delete(left.id);
      if (!this.keepsNames) this.reserved.delete(name);
      done();
    });
  }

  /** The caller gets one answer: the first, or that its time is up. */
  private withDeadline(timeoutMs: number, done: RuntimeDone): DeadlineCall {
    const call: DeadlineCall = {
      over: false,
      onDeadline: () => {},
      answer: (error) => {
        if (call.over) return;
        call.over = true;
        timer.cancelled = true;
        done(error);
      },
    };
    const timer = this.engine.after(timeoutMs, () => {
      call.answer(DEADLINE_EXCEEDED);
      call.onDeadline();
    });
    return call;
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
