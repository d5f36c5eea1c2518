import type { Clock } from "../clock";
import type { Log } from "../log";
import type { ClusterBridge } from "./api/bridge";
import type { SimulatedApiServer } from "./api/server";
import type { ClusterModel } from "./model/cluster";
import { countNode, type NodeCounts } from "./model/counts";
import type { NodeModel } from "./model/node";
import type { DaemonResources } from "./model/parameters";
import { SHIM } from "./model/texts";
import { cut, silence } from "./scenarios";

/** A flapping API server is unwell for this long in every such period, time of the cluster. */
const FLAP_PERIOD_MS = 60_000;
const FLAP_BAD_MS = 20_000;

/** Faults on demand, for tests and demonstrations. Everything here acts on the live model. */
export class SimulationControl {
  private cancelFlap: (() => void) | undefined;

  constructor(
    readonly model: ClusterModel,
    private readonly bridge: ClusterBridge,
    private readonly api: SimulatedApiServer,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Throws where there is no such node. */
  node(name: string): NodeModel {
    const node = this.model.nodes.get(name);
    if (node === undefined) throw new Error(`the simulated cluster has no node "${name}"`);
    return node;
  }

  counts(name: string): NodeCounts {
    return countNode(this.node(name));
  }

  /** The node works on, but neither its kubelet nor its agent is heard. */
  silenceNode(name: string, silent = true): void {
    silence(this.model, this.node(name).parameters.name, silent);
  }

  /** The power goes now and returns after `awayMs` of the cluster's time. */
  cutPower(name: string, awayMs: number): void {
    cut(this.model, this.node(name).parameters.name, this.model.nowMs, this.model.nowMs + awayMs, 1);
  }

  /** Takes the CNI shim out of the node's bin dir; the daemon's next init container puts it back. */
  removeShim(name: string): void {
    this.node(name).files.bin.delete(SHIM);
  }

  /** Deletes the node's pods of the workload, so that their successors need sandboxes at once. */
  replacePods(name: string, atMost = Infinity): void {
    const node = this.node(name);
    const pods = [...node.kubelet.pods.values()].filter((pod) => pod.kind === "service").slice(0, atMost);
    for (const pod of pods) node.deletePod(pod, this.model.nowMs);
  }

  /** Other resources for the daemon of one node, in place. */
  resizeDaemon(name: string, resources: DaemonResources): void {
    const node = this.node(name);
    const pod = this.model.daemonSet.podOn(name);
    if (pod !== undefined) node.resizeDaemon(pod, resources);
  }

  /** Nobody can connect any more, and every connection breaks; or the API server is there again, at the same port. */
  async cutApi(away: boolean): Promise<void> {
    if (away) await this.api.close();
    else if (!this.api.listening) await this.api.listen();
  }

  /** Answers every request with 503. */
  failApi(failing: boolean): void {
    this.api.failing = failing;
  }

  /** Breaks every watch in the middle of a line. */
  cutWatches(): void {
    this.api.cutWatches();
  }

  /** Old versions and lists under way answer 410 from now on. */
  forgetOldVersions(): void {
    this.api.forgetOld();
  }

  /** Cuts the watches and fails for a while, again and again, or ends that. */
  flapApi(flapping: boolean): void {
    this.cancelFlap?.();
    this.cancelFlap = undefined;
    this.api.failing = false;
    if (!flapping) return;
    const turn = (bad: boolean): void => {
      this.cancelFlap = this.clock.after(bad ? FLAP_PERIOD_MS - FLAP_BAD_MS : FLAP_BAD_MS, () => {
        this.api.failing = bad;
        if (bad) this.api.cutWatches();
        this.log.debug({ failing: bad }, "the simulated API server flaps");
        turn(!bad);
      });
    };
    turn(true);
  }

  /** Brings the objects up to the model now instead of at the next tick. */
  sync(): void {
    this.model.advance(this.clock.now());
    this.bridge.sync();
  }

  stop(): void {
    this.cancelFlap?.();
  }
}
