import { describe, expect, it } from "vitest";
import { firstLine } from "./text";

describe("text of the cluster", () => {
  it("gives its first line that says something", () => {
    expect(firstLine("\n\n  \u001b[1merror: no login \nmore", 100)).toBe("␛[1merror: no login");
  });
});
