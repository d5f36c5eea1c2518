import { describe, expect, it } from "vitest";
import { markdownText } from "./export-markdown";

describe("text in a Markdown export", () => {
  it("holds nothing that a terminal or a text direction would act on, also where it was stored as it came", () => {
    expect(markdownText("a\u0000b\u001b[31m\u202e\nc")).toBe("a␀b␛\\[31m\\\\u202e c");
  });
});
