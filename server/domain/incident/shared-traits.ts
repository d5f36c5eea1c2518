import type { NodeView } from "../node-view";
import { countWords, listWords } from "../words";

/** What a node is and runs, by the name of the trait. What is not known of a node is absent. */
export type Traits = Readonly<Record<string, string>>;

/** Most traits that are compared; a node has ten or so. */
export const MAX_TRAITS = 24;
/** Most findings that are told. */
export const MAX_SHARED = 6;
/** A value that fewer of the sick have is not what they share. */
const LEAST_SICK_SHARE = 0.75;
/** Nor is one that sick and well have alike. */
const LEAST_DIFFERENCE = 0.25;
/** Nor one that so many nodes, drawn at random, would share as often as this. */
const MOST_CHANCE = 0.01;

/** One value that the sick have and the well have not, or less often. Nodes of which the trait is not known count on neither side. */
export interface SharedTrait {
  readonly trait: string;
  readonly value: string;
  readonly sick: number;
  readonly sickKnown: number;
  readonly well: number;
  readonly wellKnown: number;
  /** How often as many of so many nodes drawn at random would have it: Fisher's exact test, one-sided. */
  readonly chance: number;
}

export interface SharedTraits {
  readonly sick: number;
  readonly well: number;
  /** Least likely by chance first; empty where nothing tells them apart. */
  readonly shared: readonly SharedTrait[];
  /** Traits that were compared. */
  readonly compared: readonly string[];
}

/** The traits of a node as its view tells them; kernel, kubelet and runtime as the node reports them. */
export function traitsOf(view: Pick<NodeView, "pool" | "zone" | "versions" | "daemons" | "config">): Traits {
  const { versions, config } = view;
  const traits: Record<string, string> = { pool: view.pool };
  const set = (trait: string, value: string | undefined): void => {
    if (value !== undefined && value !== "" && Object.keys(traits).length < MAX_TRAITS) traits[trait] = value;
  };
  set("zone", view.zone);
  set("kernel", versions.kernel);
  set("kubelet", versions.kubelet);
  set("runtime", versions.runtime);
  set("operating system", versions.os);
  if (config !== undefined) set("CNI config", [config.effectiveFile ?? "none", config.pluginTypes.join(" + ")].filter((part) => part !== "").join(": "));
  for (const daemon of view.daemons) {
    set(`image of ${daemon.daemonSet}`, daemon.image);
    set(`rollout of ${daemon.daemonSet}`, daemon.revision);
  }
  return traits;
}

/**
 * What the sick nodes share and the well ones do not, by comparing the share of each value in both groups. Unknown nodes
 * belong to neither. Without a well node nothing can tell them apart, and nothing is told.
 */
export function sharedTraits(sick: readonly Traits[], well: readonly Traits[]): SharedTraits {
  const compared = [...new Set([...sick, ...well].flatMap((traits) => Object.keys(traits)))].sort().slice(0, MAX_TRAITS);
  const shared = compared.flatMap((trait) => {
    const [ofSick, ofWell] = [tally(sick, trait), tally(well, trait)];
    return [...ofSick.values].flatMap(([value, count]): SharedTrait[] => {
      const found = { trait, value, sick: count, sickKnown: ofSick.known, well: ofWell.values.get(value) ?? 0, wellKnown: ofWell.known };
      if (ofWell.known === 0 || ofSick.known * 2 < sick.length) return [];
      const sickShare = count / ofSick.known;
      if (sickShare < LEAST_SICK_SHARE || sickShare - found.well / ofWell.known < LEAST_DIFFERENCE) return [];
      const chance = chanceOf(found);
      return chance > MOST_CHANCE ? [] : [{ ...found, chance }];
    });
  });
  shared.sort((a, b) => a.chance - b.chance || (a.trait < b.trait ? -1 : 1));
  return { sick: sick.length, well: well.length, shared: shared.slice(0, MAX_SHARED), compared };
}

function tally(nodes: readonly Traits[], trait: string): { readonly values: ReadonlyMap<string, number>; readonly known: number } {
  const values = new Map<string, number>();
  let known = 0;
  for (const traits of nodes) {
    const value = Object.hasOwn(traits, trait) ? traits[trait] : undefined;
    if (value === undefined) continue;
    known += 1;
    values.set(value, (values.get(value) ?? 0) + 1);
  }
  return { values, known };
}

/** The probability that of `sickKnown` nodes drawn from all at least `sick` have the value. */
function chanceOf({ sick, sickKnown, well, wellKnown }: Omit<SharedTrait, "chance">): number {
  const all = sickKnown + wellKnown;
  const having = sick + well;
  const whole = logChoose(all, sickKnown);
  let sum = 0;
  for (let drawn = sick; drawn <= Math.min(having, sickKnown); drawn += 1) sum += Math.exp(logChoose(having, drawn) + logChoose(all - having, sickKnown - drawn) - whole);
  return Math.min(1, sum);
}

function logChoose(of: number, chosen: number): number {
  if (chosen < 0 || chosen > of) return -Infinity;
  let sum = 0;
  for (let step = 1; step <= Math.min(chosen, of - chosen); step += 1) sum += Math.log(of - step + 1) - Math.log(step);
  return sum;
}

/** "All 14 run v5.1 of …; of 86 well nodes 2 do." One sentence for each finding, or why there is none. */
export function sharedWords(found: SharedTraits): string {
  if (found.well === 0) return "No node is well, so nothing tells the sick ones apart.";
  const [first, ...rest] = found.shared;
  if (first === undefined) return `Nothing that was compared tells the sick nodes from the well ones (${listWords(found.compared, found.compared.length)}).`;
  const more = rest.length === 0 ? "" : ` ${rest.map(oneWords).join(" ")}`;
  return `${oneWords(first)}${more}`;
}

function oneWords({ trait, value, sick, sickKnown, well, wellKnown }: SharedTrait): string {
  const who = sick === sickKnown ? sick === 1 ? "The sick node has" : `All ${countWords(sick, "sick node")} have` : `${sick} of ${countWords(sickKnown, "sick node")} have`;
  return `${who} ${trait} ${value}; of ${countWords(wellKnown, "well node")} ${well === 0 ? "none has" : well === 1 ? "1 has" : `${well} have`}.`;
}
