import { describe, expect, it } from "vitest";
import { sharedTraits } from "../incident/shared-traits";
import { stormOfNodes } from "./storm-of-nodes";
import { causeCases, checked } from "./testing/cases";
import { causeInput } from "./testing/input";
import { secondsAgo } from "./testing/texts";
import type { FleetPart } from "./types";

const many = (count: number, traits: Readonly<Record<string, string>>) => Array.from({ length: count }, () => traits);
const rollout = sharedTraits(many(14, { zone: "a", "image of kube-system/kube-multus-ds": "multus:v4.3.0" }), [...many(43, { zone: "a", "image of kube-system/kube-multus-ds": "multus:v4.2.0" }), ...many(43, { zone: "b", "image of kube-system/kube-multus-ds": "multus:v4.2.0" })]);
const nothing = sharedTraits(many(14, { zone: "a" }), many(86, { zone: "a" }));
const fleet = (includesThis: boolean, shared = rollout): FleetPart => ({ seen: true, includesThis, turned: { firstMs: secondsAgo(420), lastMs: secondsAgo(180) }, shared });

causeCases(stormOfNodes, {
  fires: [
    { name: "on a node that turned with others, with what they share", certainty: "named", says: ["14 nodes", "within 4 min", "multus:v4.3.0"], input: causeInput({ fleet: fleet(true) }) },
    { name: "where they were ill when they were first looked at, and no moment is known", certainty: "named", says: ["same cause"], input: causeInput({ fleet: { seen: true, includesThis: true, shared: rollout } }) },
    { name: "where nothing tells the sick from the well, and says so", certainty: "named", says: ["Nothing that was compared"], input: causeInput({ fleet: fleet(true, nothing) }) },
  ],
  almost: [
    { name: "on a node that is not among them", input: causeInput({ fleet: fleet(false) }) },
    { name: "where no incident of the fleet is open", input: causeInput() },
  ],
  missing: [{ name: "cannot tell where the nodes could not be compared", state: "unknown", says: "most nodes are unknown", input: causeInput({ fleet: { seen: false, reason: "most nodes are unknown" } }) }],
});

describe("evidence of a storm of nodes", () => {
  it("has each shared trait with how many of both groups have it", () => {
    const [finding] = checked(stormOfNodes, causeInput({ fleet: fleet(true) }));
    expect(finding?.evidence).toContainEqual(expect.objectContaining({ what: "image of kube-system/kube-multus-ds multus:v4.3.0", value: "14 of 14 sick, 0 of 86 well" }));
  });
});
