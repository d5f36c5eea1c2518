/**
 * Where a text stops being JSON. The runtime's own parser says less than a person needs, and that of this program quotes the
 * text, which may hold anything: only the place and what was expected there are told.
 */
export interface JsonProblem {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly what: string;
}

type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or }" | "comma or ]" | "end";

const WORDS: Readonly<Record<Expected, string>> = {
  value: "a value was expected",
  "value or ]": 'a value or "]" was expected',
  key: "a key in quotes was expected",
  "key or }": 'a key in quotes or "}" was expected',
  colon: "a colon was expected",
  "comma or }": 'a comma or "}" was expected',
  "comma or ]": 'a comma or "]" was expected',
  end: "nothing more was expected",
};

const SPACE = /[\t\n\r ]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
/** The inside of a string up to what ends it or breaks it. */
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The first place at which the text is no JSON; undefined where it is JSON. Reads it once, and never recurses. */
export function jsonProblem(text: string): JsonProblem | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = 0;
  const match = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const afterValue = (): Expected => {
    const inside = open.at(-1);
    return inside === undefined ? "end" : inside === "{" ? "comma or }" : "comma or ]";
  };
  const wrong = (): JsonProblem => placed(text, at, WORDS[expected]);
  for (;;) {
    match(SPACE);
    const char = text[at];
    if (char === undefined) return expected === "end" ? undefined : placed(text, at, `the text ends where ${WORDS[expected].replace(" was expected", "")} should be`);
    switch (expected) {
      case "end":
        return wrong();
      case "colon":
        if (char !== ":") return wrong();
        at += 1;
        expected = "value";
        break;
      case "comma or }":
      case "comma or ]":
        if (char === ",") expected = expected === "comma or }" ? "key" : "value";
        else if (char === expected.at(-1)) {
          open.pop();
          expected = afterValue();
        } else return wrong();
        at += 1;
        break;
      case "key":
      case "key or }":
        if (char === "}" && expected === "key or }") {
          at += 1;
          open.pop();
          expected = afterValue();
          break;
        }
        if (char !== '"') return wrong();
        if (!passString()) return placed(text, at, stringFault());
        expected = "colon";
        break;
      case "value":
      case "value or ]":
        if (char === "]" && expected === "value or ]") {
          at += 1;
          open.pop();
          expected = afterValue();
        } else if (char === "{" || char === "[") {
          at += 1;
          open.push(char);
          expected = char === "{" ? "key or }" : "value or ]";
        } else if (char === '"') {
          if (!passString()) return placed(text, at, stringFault());
          expected = afterValue();
        } else if (match(NUMBER) || match(LITERAL)) expected = afterValue();
        else return wrong();
    }
  }

  function passString(): boolean {
    at += 1;
    for (;;) {
      match(PLAIN);
      if (text[at] === '"') {
        at += 1;
        return true;
      }
      if (!match(ESCAPE)) return false;
    }
  }
  function stringFault(): string {
    if (text[at] === undefined) return "the text ends inside quotes";
    return text[at] === "\\" ? "an escape that does not exist" : "a line break or control character inside quotes";
  }
}

/** "a comma was expected at line 3, column 7". */
export const jsonProblemText = ({ what, line, column }: JsonProblem): string => `${what} at line ${String(line)}, column ${String(column)}`;

function placed(text: string, at: number, what: string): JsonProblem {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) {
    line += 1;
    start = next + 1;
  }
  return { line, column: at - start + 1, what };
}
