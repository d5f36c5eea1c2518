import { describe, expect, test } from "vitest";
import { daemonPods } from "./advice/commands";
import { explain } from "./explain";
import { ALL_LAYER_MARKS } from "./layers";
import { ALL_PLUGIN_WORDS } from "./plugins";
import { recordsOf } from "./records";
import { RULES } from "./rules";
import { createScanner } from "./scanner";
import { ERRNO_TEXTS } from "./calls";
import { MAX_EXPLAINED_CHARS } from "./types";

/** The longest text that is read, made of one piece over and over. */
const repeated = (piece: string): string => piece.repeat(Math.ceil(MAX_EXPLAINED_CHARS / piece.length)).slice(0, MAX_EXPLAINED_CHARS);

const ESCAPE = String.fromCharCode(27);
const PIECES: readonly (readonly [name: string, piece: string])[] = [
  ["letters", "a"],
  ["blanks", " "],
  ["line breaks", "\n"],
  ["backslashes", "\\"],
  ["quotes", '"'],
  ["escape sequences without an end", `${ESCAPE}[`],
  ["titles without an end", `${ESCAPE}]`],
  ["entities", "&quot;"],
  ["zero bytes", "\u0000"],
  ["letters that grow when lowered", "\u0130"],
  ["halves of surrogates", "\ud800"],
  ["braces", "{"],
  ["brackets", "["],
  ["parentheses", "("],
  ["slashes", "/a"],
  ["colons", ": "],
  ["addresses", "dial unix /run/x.sock: connect: no such file or directory, "],
  ["addresses without an error", "dial tcp 10.0.0.1:443 "],
  ["URLs", 'Get "https://10.0.0.1:443/api": '],
  ["echoes of calls", 'ContainerID:"x" ERRORED: '],
  ["standard input without an end", "StdinData: {"],
  ["networks without an end", "network-attachment-definition ("],
  ["plugins without an end", 'failed to find plugin "'],
  ["holders without an end", 'is reserved for "'],
  ["poll intervals without an end", "unreasonably long 1ms poll interval ("],
  ["victims without an end", "killed process 1 ("],
  ["tasks without an end", "oom-kill:,task="],
  ["validations without an end", "error validating cni config failed to find plugin "],
];

describe.each(PIECES)("a megabyte of %s", (_name, piece) => {
  test("is read to its end", () => {
    const { because, facts } = explain(repeated(piece));
    for (const { text } of because) expect(text.length).toBeLessThanOrEqual(240);
    expect(JSON.stringify(facts).length).toBeLessThan(8_000);
  });
});

/** Heads of records, each begun again and again: what the patterns for them are run on. */
const HEADS = ["2026-11-30", "2026-11-3", "I1130 ", "Nov 3", "time=", '{"', "Warning ", "1h1m1s ", "1h1m1s1", "<unknown> ", "[      1.1", "[         ", "[error]"];
describe.each(HEADS)("a megabyte of lines that begin with %j", (head) => {
  test("is split within the bound, and nothing of it is lost", () => {
    const text = repeated(`${head.repeat(3)}\n`);
    expect(recordsOf(text).join("\n").length).toBeGreaterThanOrEqual(text.replaceAll("\n\n", "\n").length - 1);
    expect(recordsOf(text).length).toBeLessThanOrEqual(2_000);
    explain(text);
  });
});

describe.each(["__proto__", "constructor"])("a plugin and a CNI that are named %s", (name) => {
  test("are words like any other, in the explanation and in its advice", () => {
    for (const { plugin, lookAt, fix } of [explain(`plugin type="${name}" failed (add): no free addresses`), explain("no free addresses", { plugin: name })]) {
      expect(["generic", name]).toContain(plugin);
      for (const line of [...lookAt, ...fix]) expect(line).not.toMatch(/native code|\[object/);
    }
    expect(daemonPods({ cause: "daemon-down", plugin: name, facts: {} })).toContain("the CNI's DaemonSet");
  });
});

/** Every rule's own marks, whole and cut short at each place, in one text per rule's cause. */
const byCause = Map.groupBy(RULES, ({ cause }) => cause);
describe.each([...byCause.keys()])("a megabyte of the marks of %s", (cause) => {
  test("is read to its end", () => {
    const marks = (byCause.get(cause) ?? []).flatMap(({ any, with: groups, without }) => [...any, ...(groups ?? []).flat(), ...(without ?? [])]);
    explain(repeated(marks.map((mark) => `${mark.slice(0, -1)}${mark} `).join("")));
  });
});

describe("the table of marks", () => {
  const marks = [...RULES.flatMap(({ any, with: groups, without }) => [...any, ...(groups ?? []).flat(), ...(without ?? [])]), ...ALL_LAYER_MARKS, ...ALL_PLUGIN_WORDS, ...ERRNO_TEXTS];

  test("holds nothing that a folded text never holds: upper case, doubled blanks, backslashes", () => {
    expect(marks.filter((mark) => mark !== mark.toLowerCase() || mark.includes("  ") || mark.includes("\\") || mark.trim() === "" || mark.includes("\n"))).toEqual([]);
  });

  test("is found by one pass as by a search for each mark alone", () => {
    const scanner = createScanner(marks);
    const text = `${marks.join("|")} ${marks.map((mark) => mark.slice(1)).join(" ")} end`;
    const seen = scanner.scan(text, 0, text.length);
    for (const mark of new Set(marks)) expect([mark, seen.first(mark), seen.last(mark)]).toEqual([mark, text.indexOf(mark), text.lastIndexOf(mark)]);
  });

  test("has for every rule marks that make it speak", () => {
    const silent = RULES.filter(({ any }) => any.length === 0);
    expect(silent).toEqual([]);
  });
});
