/** A network device of the node's own. */
export interface HostLink {
  readonly kind: "bridge" | "nic" | "dummy";
  /** "10.244.3.1/24". */
  readonly address?: string;
}

/** A function of a network card that a pod may be given whole. */
export interface VirtualFunction {
  readonly pciAddress: string;
  /** Its driver has made a device of it; without one nothing can be handed over. */
  bound: boolean;
}

/**
 * What plugins find on a node beside files: kernel modules, devices, room for processes, and whether they may be run at all. A node that
 * nobody touched has everything that its plugins need.
 */
export class NodeHost {
  /** Kernel modules that are loaded, or that the kernel can load when they are asked for. */
  readonly modules = new Set(["bridge", "veth", "br_netfilter", "iptable_nat", "macvlan"]);
  readonly links = new Map<string, HostLink>([["eth0", { kind: "nic" }], ["eth1", { kind: "nic" }]]);
  readonly functions: VirtualFunction[] = [];
  /** Programs of the bin dir may be executed: its file system is mounted so, and no policy forbids it. */
  mayExecute = true;
  /** Processes and threads of everything that the model does not follow, and how many the kernel allows. */
  otherTasks = 900;
  maxTasks = 32_768;
  /** The kernel keeps devices of namespaces that are being taken down, and does not let them go. */
  holdsLinks = false;
  /** Sockets of other daemons that answer here, by path. */
  readonly otherSockets = new Set<string>();
  /** Endpoints that another CNI's agent makes in a minute before it turns callers away; absent: as many as come. */
  endpointsPerMinute: number | undefined;
  private endpoints = { minute: 0, made: 0 };
  /** What was written shortly before the power went is found whole again. */
  keepsFreshWrites = true;
  /** Nothing can be written into the bin dir. */
  binDirReadOnly = false;
  /** The daemon's program ends by itself on this node soon after each start. */
  daemonPanics = false;
  private nextPid = 4_200;

  /** Room that the kubelet wants left over before it says that there is too little. */
  get fewTasksLeft(): boolean {
    return this.maxTasks - this.otherTasks < this.maxTasks * TASKS_LEFT_SHARE;
  }

  get canFork(): boolean {
    return this.otherTasks < this.maxTasks;
  }

  /** Whether the other CNI's agent makes one more endpoint now. */
  makesEndpoint(nowMs: number): boolean {
    const minute = Math.floor(nowMs / 60_000);
    if (this.endpoints.minute !== minute) this.endpoints = { minute, made: 0 };
    this.endpoints.made += 1;
    return this.endpoints.made <= (this.endpointsPerMinute ?? Infinity);
  }

  newPid(): number {
    this.nextPid += 1;
    return this.nextPid;
  }
}

const TASKS_LEFT_SHARE = 0.05;
