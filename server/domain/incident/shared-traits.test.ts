import { describe, expect, it } from "vitest";
import { sharedTraits, sharedWords, traitsOf, type Traits } from "./shared-traits";

const nodes = (count: number, traits: Traits): Traits[] => Array.from({ length: count }, () => traits);

describe("what the sick nodes share", () => {
  it("is the trait by which they differ from the well ones, not one that all have", () => {
    const sick = nodes(12, { pool: "general", kernel: "6.8.0-55", zone: "a" });
    const well = [...nodes(40, { pool: "general", kernel: "6.8.0-52", zone: "a" }), ...nodes(48, { pool: "general", kernel: "6.8.0-52", zone: "b" })];
    const found = sharedTraits(sick, well);
    expect(found.shared.map(({ trait, value }) => [trait, value])).toEqual([["kernel", "6.8.0-55"], ["zone", "a"]]);
    expect(found.shared[0]).toMatchObject({ sick: 12, sickKnown: 12, well: 0, wellKnown: 88 });
    expect(sharedWords(found)).toBe("All 12 sick nodes have kernel 6.8.0-55; of 88 well nodes none has. All 12 sick nodes have zone a; of 88 well nodes 40 have.");
  });

  it("is told of most of them too, with how many", () => {
    const found = sharedTraits([...nodes(9, { rollout: "b" }), ...nodes(1, { rollout: "a" })], [...nodes(2, { rollout: "b" }), ...nodes(50, { rollout: "a" })]);
    expect(sharedWords(found)).toBe("9 of 10 sick nodes have rollout b; of 52 well nodes 2 have.");
  });

  it("is nothing where chance alone would do: three of half the fleet say little", () => {
    expect(sharedTraits(nodes(3, { pool: "general" }), [...nodes(9, { pool: "general" }), ...nodes(12, { pool: "edge" })]).shared).toEqual([]);
    expect(sharedTraits(nodes(3, { pool: "edge" }), [...nodes(2, { pool: "edge" }), ...nodes(19, { pool: "general" })]).shared).toHaveLength(1);
  });

  it("is nothing where no node is well, and the sentence says so", () => {
    const found = sharedTraits(nodes(24, { kernel: "6.8.0-55" }), []);
    expect(found.shared).toEqual([]);
    expect(sharedWords(found)).toContain("No node is well");
  });

  it("counts a node of which a trait is not known on neither side", () => {
    const found = sharedTraits([...nodes(6, { zone: "a" }), ...nodes(2, {})], [...nodes(20, { zone: "b" }), ...nodes(30, {})]);
    expect(found.shared).toMatchObject([{ sick: 6, sickKnown: 6, well: 0, wellKnown: 20 }]);
    expect(sharedTraits([...nodes(2, { zone: "a" }), ...nodes(6, {})], nodes(40, { zone: "b" })).shared).toEqual([]);
  });

  it("has a chance between none and one, for fleets of any size", () => {
    for (const [sick, well] of [[1, 1], [3, 20], [500, 4_500], [5_000, 1]] as const) {
      const { shared } = sharedTraits(nodes(sick, { kernel: "new" }), nodes(well, { kernel: "old" }));
      for (const { chance } of shared) expect(chance).toBeGreaterThanOrEqual(0);
      for (const { chance } of shared) expect(chance).toBeLessThanOrEqual(1);
    }
  });

  it("does not take names of an object's own parts for traits", () => {
    expect(sharedTraits(nodes(6, { constructor: "x", pool: "a" }), nodes(40, { pool: "b" })).shared.map(({ trait }) => trait)).toEqual(["pool"]);
  });
});

it("the traits of a node are where it stands, its versions, its CNI config and which rollout of each daemon it runs", () => {
  const daemon = { daemonSet: "kube-system/kube-multus-ds", pod: "kube-multus-ds-x", container: "kube-multus", ready: true, restarts: 0, oomKillsMs: [], image: "multus:v5", revision: "7d9f" };
  expect(traitsOf({ pool: "edge", zone: "a", versions: { kernel: "6.8" }, daemons: [daemon], config: { dir: "/etc/cni/net.d", effectiveFile: "00-multus.conf", pluginTypes: ["multus-shim"], missingBinaries: [] } })).toEqual({
    pool: "edge", zone: "a", kernel: "6.8", "CNI config": "00-multus.conf: multus-shim", "image of kube-system/kube-multus-ds": "multus:v5", "rollout of kube-system/kube-multus-ds": "7d9f",
  });
});
