import { expect, test } from "vitest";
import { planText, shellQuote } from "./plan-text";
import { plan } from "./testing/plan";

test("a copied plan holds what someone else needs: evidence, change, calls, commands, hazards, undo and pass rule", () => {
  const text = planText(plan({ refusals: [{ message: "Refused." }] }));
  for (const part of ["Set kube-multus to 2 CPU and 4 Gi", "Rolls 24 of 24 nodes, 10% at once", "Pods stuck: 214", "-       cpu: 100m", "+       cpu: 2", "PATCH /apis/apps/v1", "(writes)", "Rolls all 24 nodes", "Refused.", "Sets the values of before again.", "Worked: pods that waited"]) {
    expect(text).toContain(part);
  }
  expect(text.match(/kubectl --namespace kube-system patch daemonset kube-multus-ds --type strategic --patch '/g)).toHaveLength(2);
});

test("a part that is empty has no heading", () => {
  expect(planText(plan())).not.toContain("Refused:");
});

test("what a shell would read as its own is inside quotes", () => {
  expect(shellQuote('{"a":"$HOME `id`"}')).toBe("'{\"a\":\"$HOME `id`\"}'");
  expect(shellQuote("it's")).toBe("'it'\\''s'");
  expect(shellQuote("'")).toBe("''\\'''");
});
