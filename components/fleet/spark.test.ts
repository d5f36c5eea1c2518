import { describe, expect, it } from "vitest";
import { sparkOf } from "./spark-geometry";

const MINUTE = 60_000;
const timeline = (points: readonly (readonly [number, number])[]) => ({
  from: new Date(0).toISOString(),
  to: new Date(60 * MINUTE).toISOString(),
  stepSeconds: 60,
  series: [{ signal: "pods.waiting" as const, instance: "", unit: "count", at: points.map(([at]) => at * MINUTE), min: points.map(([, value]) => value), max: points.map(([, value]) => value), last: points.map(([, value]) => value) }],
});

describe("the hour of a node in a list", () => {
  it("breaks its line where nobody counted, and hatches that", () => {
    const minutes = Array.from({ length: 61 }, (_, minute) => [minute, 5] as const).filter(([minute]) => minute < 20 || minute > 40);
    const spark = sparkOf(timeline(minutes));
    expect(spark.lines).toHaveLength(2);
    expect(spark.gaps.map((gap) => gap.from)).toEqual([19 * MINUTE]);
  });

  it("is hatched throughout where there is no count, and never a line at zero", () => {
    const spark = sparkOf(timeline([]));
    expect(spark.lines).toEqual([]);
    expect(spark.gaps).toHaveLength(1);
    expect(spark.most).toBeUndefined();
  });

  it("knows its highest value", () => {
    expect(sparkOf(timeline([[0, 1], [1, 220], [2, 3]])).most).toBe(220);
  });
});
