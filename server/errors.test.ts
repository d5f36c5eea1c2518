import { expect, test, vi } from "vitest";
import { ServiceError } from "./errors";

test("an error of another copy of the module is known, and no other error is taken for one", async () => {
  vi.resetModules();
  const copy = await import("./errors");
  expect(copy.ServiceError).not.toBe(ServiceError);
  expect(new copy.ServiceError("conflict", "x") instanceof ServiceError).toBe(true);
  expect(new Error("x") instanceof ServiceError).toBe(false);
  expect({ name: "ServiceError" } instanceof ServiceError).toBe(false);
});
