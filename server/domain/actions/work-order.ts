/**
 * What a node's agent may be asked to do, and what it answers. An order names its node, its objects and its end; the server
 * signs each delivery for the asking that it answers, and the agent looks at every object again right before it touches it.
 */
export const NODE_ACTIONS = ["purge-dead-sandboxes", "move-busy-shim-aside", "remove-broken-cache-entry"] as const;
export type NodeAction = (typeof NODE_ACTIONS)[number];

export const isNodeAction = (text: string): text is NodeAction => NODE_ACTIONS.some((one) => one === text);

/** Values of all node actions; each uses its own and ignores the others. */
export interface NodeActionParams {
  /** Objects under way at once; `purge-dead-sandboxes` only. */
  readonly parallel?: number;
  /** How long the installer is waited for; `move-busy-shim-aside` only. */
  readonly waitSeconds?: number;
  /** File name of the program that is busy, by the plan; `move-busy-shim-aside` only. */
  readonly program?: string;
}

export interface WorkOrder {
  /** Carried out at most once, whatever restarts in between. */
  readonly id: string;
  readonly node: string;
  readonly action: NodeAction;
  /** Only look: list what would be touched, touch nothing. */
  readonly dry: boolean;
  /** Of the plan that a person saw. */
  readonly planVersion: string;
  readonly requestedBy: string;
  readonly issuedMs: number;
  /** Nothing is begun after it, by the server's clock. */
  readonly expiresMs: number;
  readonly params: NodeActionParams;
  /** Exactly what may be touched: ids of sandboxes, paths of files. Empty in a dry order. */
  readonly objects: readonly string[];
}

/**
 * `would`: a dry order's word on what would be touched. `left`: not touched, since a check did not hold. `failed`: tried, and it is as
 * it was or half done, as the reason says. `undone`: done and taken back.
 */
export const OBJECT_OUTCOMES = ["would", "done", "undone", "left", "failed"] as const;
export type ObjectOutcome = (typeof OBJECT_OUTCOMES)[number];

export interface WorkObject {
  readonly id: string;
  /** For people: "default/web-0, attempt 3". */
  readonly name: string;
  readonly outcome: ObjectOutcome;
  readonly reason?: string;
}

/** How far an order is. `refused`: nothing was touched. `ended` says nothing of how it ended: its objects do. */
export const WORK_STATES = ["running", "refused", "ended"] as const;
export type WorkState = (typeof WORK_STATES)[number];

export interface WorkOutcome {
  readonly state: WorkState;
  /** Why it was refused, or ended before all objects were looked at. */
  readonly reason?: string;
  readonly objects: readonly WorkObject[];
}

/** The pods that the API server lists for a node, by uid; static pods by the hash of their config, which is the uid that the runtime knows. */
export interface NodePods {
  readonly atMs: number;
  readonly uids: readonly string[];
}

/** Where agents ask for work and tell of it, both POST. */
export const WORK_ASK_PATH = "/v1/work";
export const WORK_TOLD_PATH = "/v1/work/told";
export const WORK_VERSION = 1;

/** How long an asking is held while there is no work. */
export const ASK_HELD_MS = 20_000;
/** From the click to the agent's taking of it; an agent asks all the time, so later it is not wanted any more. */
export const TAKE_WITHIN_MS = 60_000;
/** From the click to the last beginning. */
export const ORDER_VALID_MS = 15 * 60_000;
/** After its end an order that was taken and not told of counts as lost. */
export const TOLD_WITHIN_MS = 2 * 60_000;
/** A list of pods older than this confirms nothing. */
export const MAX_PODS_AGE_MS = 30_000;

export const MAX_ORDER_OBJECTS = 1_000;
export const MAX_TOLD_OBJECTS = 200;
export const MAX_OBJECT_ID_CHARS = 1_024;
export const MAX_OBJECT_NAME_CHARS = 600;
export const MAX_OBJECT_REASON_CHARS = 300;
export const MAX_NODE_PODS = 2_000;
export const MAX_NONCE_CHARS = 64;

export const countOf = (objects: readonly WorkObject[], outcome: ObjectOutcome): number => objects.filter((one) => one.outcome === outcome).length;

/** Later words on an object replace earlier ones; the order of first mention stays. */
export function mergeObjects(before: readonly WorkObject[], told: readonly WorkObject[]): readonly WorkObject[] {
  const merged = new Map(before.map((one) => [one.id, one]));
  for (const one of told) if (merged.has(one.id) || merged.size < MAX_ORDER_OBJECTS) merged.set(one.id, one);
  return [...merged.values()];
}
