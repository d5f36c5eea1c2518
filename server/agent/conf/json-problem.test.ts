import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonProblem, jsonProblemText } from "./json-problem";

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test.each([
  ['{\n  "name": "n"\n  "plugins": []\n}', 'a comma or "}" was expected at line 3, column 3'],
  ['{"a": 1,}', "a key in quotes was expected at line 1, column 9"],
  ['{"a": [1, 2', 'the text ends where a comma or "]" should be at line 1, column 12'],
  ["{'a': 1}", 'a key in quotes or "}" was expected at line 1, column 2'],
  ['{"a" 1}', "a colon was expected at line 1, column 6"],
  ['{"a": s3cr3t}', "a value was expected at line 1, column 7"],
  ['{"a": "b', "the text ends inside quotes at line 1, column 9"],
  ['{"a": "b\nc"}', "a line break or control character inside quotes at line 1, column 9"],
  ['"\\x"', "an escape that does not exist at line 1, column 2"],
  ["{}\n// end", "nothing more was expected at line 2, column 1"],
  ["\uFEFF{}", "a value was expected at line 1, column 1"],
  ["", "the text ends where a value should be at line 1, column 1"],
  ["01", "nothing more was expected at line 1, column 2"],
])("%j: %s", (text, problem) => {
  const found = jsonProblem(text);
  expect(found === undefined ? undefined : jsonProblemText(found)).toBe(problem);
});

test("it finds a problem in exactly the texts that the parser refuses", () => {
  const brokenJson = fc.tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.constantFrom("", ",", '"', "}", "]", "\\", "\n", "0", "-", "e", "nul")).map(([text, at, put]) => {
    const where = at % (text.length + 1);
    return text.slice(0, where) + put + text.slice(put === "" ? where + 1 : where);
  });
  fc.assert(fc.property(fc.oneof(fc.json(), brokenJson, fc.string()), (text) => {
    expect(jsonProblem(text) === undefined).toBe(parses(text));
  }), { numRuns: 5_000 });
});

test("a million open brackets are read once, without recursion", () => {
  expect(jsonProblem("[".repeat(1_000_000))).toMatchObject({ line: 1, column: 1_000_001 });
});
