import type { CauseCode } from "../../domain/causes/codes";
import type { ClusterParameters } from "../model/cluster";
import type { Fault } from "../model/faults/fault";
import type { DaemonResources, NodeParameters } from "../model/parameters";

/** A fault of a scenario, so long after its beginning. */
export interface Step {
  readonly afterSeconds: number;
  readonly fault: Fault;
}

/** What befalls one node, and what must be said of it. The mechanism is in the faults; what follows from it is the model's affair. */
export interface CauseScenario {
  readonly cause: CauseCode;
  /** Tells apart the scenarios of one cause. */
  readonly detail?: string;
  /** `suspected` where nothing but a text can tell. */
  readonly certainty: "named" | "suspected";
  /** The answer while it lasts, from its tenth minute on. */
  readonly answer: "yes" | "no";
  /** One sentence, for those who choose a scenario. */
  readonly what: string;
  readonly steps: readonly Step[];
  /** It befalls every node of the pool, not one. */
  readonly wholePool?: true;
  /** How the node differs from the others from the beginning. */
  readonly node?: Partial<NodeParameters>;
  /** Resources of this node's daemon, as after a resize. */
  readonly daemon?: DaemonResources;
  readonly cluster?: Partial<Pick<ClusterParameters, "daemonTemplate" | "attachments" | "daemonResources">>;
  /** Periods of 15 s from the last step until it is named, and from the mending until nothing fires. */
  readonly namedWithin: number;
  readonly clearWithin: number;
  /** What texts of the same pods suggest beside it. */
  readonly alsoSuspected?: readonly CauseCode[];
  /** What it is to the other nodes, where it is in an object of the whole cluster. */
  readonly elsewhere?: readonly CauseCode[];
  /** What it leaves behind on the node, which is a finding of its own and needs a mending of its own. */
  readonly leaves?: readonly CauseCode[];
}

/** A step in which something that began before is over. */
export const mended = (fault: Fault): Fault => ({ what: `No more of this: ${fault.what}`, break: fault.mend, mend: () => {} });

/** Faults at once. */
export const atOnce = (...faults: readonly Fault[]): readonly Step[] => faults.map((fault) => ({ afterSeconds: 0, fault }));
/** Faults one after the other, so many seconds apart. */
export const inTurn = (everySeconds: number, ...faults: readonly Fault[]): readonly Step[] => faults.map((fault, index) => ({ afterSeconds: index * everySeconds, fault }));
/** Several faults as one. */
export const both = (...faults: readonly Fault[]): Fault => ({
  what: faults.map(({ what }) => what).join(" "),
  break: (world) => {
    for (const fault of faults) fault.break(world);
  },
  mend: (world) => {
    for (const fault of [...faults].reverse()) fault.mend(world);
  },
});
