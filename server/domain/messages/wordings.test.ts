import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { explain } from "./explain";
import { alike } from "./testing/score";

const SEPARATOR = " | ";
const wordings = readFileSync(path.join(import.meta.dirname, "corpus/wordings.txt"), "utf8")
  .split("\n")
  .filter((line) => line.includes(SEPARATOR))
  .map((line) => ({ cause: line.slice(0, line.indexOf(SEPARATOR)), text: line.slice(line.indexOf(SEPARATOR) + SEPARATOR.length) }));
const byCause = Map.groupBy(wordings, ({ cause }) => cause);

describe.each([...byCause.keys()])("every wording of %s", (cause) => {
  test("leads to it, or to a cause that the text alone cannot tell from it", () => {
    const astray = (byCause.get(cause) ?? []).filter(({ text }) => !alike(explain(text).cause, cause));
    expect(astray.map(({ text }) => `${explain(text).cause}: ${text}`)).toEqual([]);
  });
});
