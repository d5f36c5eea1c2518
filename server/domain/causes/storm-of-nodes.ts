import type { Evidence } from "../answer";
import { sharedWords } from "../incident/shared-traits";
import { countWords, spanWords } from "../words";
import { notSeen, seen } from "./evidence";
import { cannotTell, clear } from "./findings";
import type { Cause, CauseInput, FleetPart, Finding } from "./types";

const MAX_SHOWN = 4;

export const stormOfNodes: Cause = {
  code: "storm-of-nodes",
  title: "Many nodes fell ill together",
  severity: "notice",
  meaning:
    "This node is one of many that turned within minutes of each other. One node has its own reasons; many at once have one reason, and it is rather what they share than what any of them shows: a rollout, a version, a zone, a kernel, a service of the cluster.",
  impact: "Work moves from the sick nodes to the well ones, which then carry more and may follow.",
  checks: ["The fleet's incident: how many nodes turned within how many minutes, and whether this one is among them.", "What the sick have and the well have not: pool, zone, kernel, kubelet, runtime, CNI config, images and rollouts of CNI daemons, compared group with group."],
  lookAlikes: [
    { code: "control-plane-not-ready", tells: "That is one reason for it: a controller of the cluster does not allocate." },
    { code: "apiserver-unreachable", tells: "So is an API server that many nodes cannot reach, for instance those of one zone." },
    { code: "retry-storm", tells: "That is one node's queue; many nodes may each have one after an outage." },
  ],
  mitigation: [
    "Stop what is under way: pause the rollout (`kubectl rollout pause` for Deployments; a DaemonSet by updateStrategy OnDelete or a partition of nodes), stop node upgrades and autoscaling.",
    "Look at what they share before at any single node, and at what changed in the minutes before the first one.",
    "Do not drain or restart many nodes at once: their pods become a burst on those that are well.",
    "Mend one node, see that it holds, then the rest in small steps.",
  ],
  actions: [],
  explains: [],
  check: (input) => [ofFleet(input)],
};

function ofFleet(input: CauseInput): Finding {
  const { fleet } = input;
  if (fleet === undefined) return clear("No incident of the fleet names this node.");
  if (!fleet.seen) return cannotTell(fleet.reason);
  return fleet.includesThis ? named(input, fleet) : clear("This node is not among those that are ill together.", [illEvidence(fleet)]);
}

type Seen = Extract<FleetPart, { readonly seen: true }>;
const illEvidence = ({ shared, turned }: Seen): Evidence => seen("Nodes that are ill together", "api", { value: shared.sick, unit: "count", ...(turned === undefined ? {} : { atMs: turned.firstMs }) });

function named(input: CauseInput, fleet: Seen): Finding {
  const { shared, turned } = fleet;
  const how = turned === undefined ? "that are ill with the same cause since before they were looked at" : `that turned within ${spanWords(turned.firstMs, turned.lastMs)}, the first ${spanWords(turned.firstMs, input.nowMs)} ago`;
  return {
    state: "firing",
    certainty: "named",
    summary: `This node is one of ${countWords(shared.sick, "node")} ${how}. ${sharedWords(shared)}`,
    evidence: [
      illEvidence(fleet),
      seen("Nodes that are well", "api", { value: shared.well, unit: "count" }),
      ...(shared.shared.length === 0
        ? [notSeen("Something that the sick nodes share and the well ones do not", "api", { value: `compared: ${shared.compared.join(", ") || "nothing"}` })]
        : shared.shared.slice(0, MAX_SHOWN).map(({ trait, value, sick, sickKnown, well, wellKnown }) => seen(`${trait} ${value}`, "api", { value: `${sick} of ${sickKnown} sick, ${well} of ${wellKnown} well` }))),
    ],
  };
}
