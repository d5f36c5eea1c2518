import { describe, expect, it } from "vitest";
import { answered } from "@/components/testing/summaries";
import { answerSentence } from "./answer-words";
import { evidenceInstant, evidenceValue } from "./evidence-value";

describe("the sentence of a node", () => {
  it("begins with the answer, and says yes only for a yes", () => {
    expect(answerSentence(answered("node-7", "no"))).toBe("No. node-7 cannot start a pod now.");
    expect(answerSentence(answered("node-7", "unknown"))).toBe("Unknown whether node-7 can start a pod now.");
    expect(answerSentence(answered("node-7", "yes"))).toBe("Yes. node-7 can start a pod now.");
    expect(answerSentence(answered("node-7", "yes", { atRisk: true }))).toBe("Yes, at risk. node-7 starts some pods now.");
    expect(answerSentence(answered("node-7", "yes", { idle: true }))).toBe("Yes, idle. node-7 could start a pod now.");
  });
});

describe("the value of an observation", () => {
  it.each([
    [{ value: 0 }, "0"], [{ value: 250, unit: "seconds" }, "4 min 10 s"], [{ value: 1, unit: "ratio" }, "100 %"], [{ value: 1_024 ** 3, unit: "bytes" }, "1 Gi"], [{ value: "True" }, "True"], [{ value: 3, unit: "pods" }, "3 pods"],
  ])("reads %j as %s", (evidence, text) => {
    expect(evidenceValue(evidence)).toBe(text);
  });

  it("is told from an instant, which is shown in the reader's zone", () => {
    expect(evidenceInstant({ value: "2026-11-29T21:11:39.000Z" })).toBe(Date.parse("2026-11-29T21:11:39Z"));
    expect(evidenceInstant({ value: "multus-shim" })).toBeUndefined();
    expect(evidenceInstant({ value: 7 })).toBeUndefined();
  });

  it("is left away where there is none", () => {
    expect(evidenceValue({})).toBeUndefined();
  });
});
