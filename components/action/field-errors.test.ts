import { expect, test } from "vitest";
import { planErrors } from "./field-errors";

test("an error of the server stands beside its field, whichever path names it, with its value and limit", () => {
  expect(planErrors([{ field: "body.params.cpuLimit", message: 'is "abc": it must be a quantity such as 2, 100m, 4Gi' }, { field: "body.memoryLimit", message: "is 1Mi: it must be whole bytes from 16Mi to 256Gi" }], [])).toEqual({
    fields: { cpuLimit: 'CPU limit is "abc": it must be a quantity such as 2, 100m, 4Gi', memoryLimit: "Memory limit is 1Mi: it must be whole bytes from 16Mi to 256Gi" },
    other: [],
  });
});

test("refusals of a plan stand beside their field, two of one field together, and nothing is lost", () => {
  expect(planErrors([], [{ field: "memoryRequest", message: "One." }, { field: "memoryRequest", message: "Two." }, { field: "params", message: "The container has exactly these values already." }, { message: "No field." }])).toEqual({
    fields: { memoryRequest: "One. Two." },
    other: ["The container has exactly these values already.", "No field."],
  });
});

test("an error of a field that the form does not have is said with its name", () => {
  expect(planErrors([{ field: "body.namespace", message: 'is "X": not a namespace' }], []).other).toEqual(['body.namespace is "X": not a namespace']);
});
