import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PromSample } from "./prometheus-text";
import { readInChunks } from "./testing/pages";
import { referenceParse, type ReferenceSample } from "./testing/reference-parser";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string, wanted: readonly string[] = ["a", "b_total"]) => readInChunks(bytes(text), wanted);
const plain = (sample: PromSample): ReferenceSample => ({ name: sample.name, labels: Object.fromEntries(sample.labels), value: sample.value, timestampMs: sample.timestampMs });

describe("a line of Prometheus text", () => {
  it.each<[string, string, Partial<ReferenceSample>]>([
    ["without labels", "a 1", { value: 1, labels: {} }],
    ["with empty braces", "a{} 1", { labels: {} }],
    ["with labels", 'a{x="1",y="two words"} 2.5', { labels: { x: "1", y: "two words" }, value: 2.5 }],
    ["with a comma after the last label", 'a{x="1",} 2', { labels: { x: "1" } }],
    ["with blanks wherever they may be", ' a { x = "1" , y = "2" } \t3 ', { labels: { x: "1", y: "2" }, value: 3 }],
    ["with escapes", String.raw`a{x="back\\slash \"quoted\" new\nline"} 1`, { labels: { x: 'back\\slash "quoted" new\nline' } }],
    ["with braces, hashes and commas inside a value", 'a{x="}{ # ,=",y=""} 1', { labels: { x: "}{ # ,=", y: "" } }],
    ["with letters beyond ASCII", 'a{x="größe 日本"} 1', { labels: { x: "größe 日本" } }],
    ["with a label named like a part of every object", 'a{__proto__="1",constructor="2"} 1', { labels: Object.fromEntries([["__proto__", "1"], ["constructor", "2"]]) }],
    ["with a time", "a 1 1796034755940", { timestampMs: 1_796_034_755_940 }],
    ["with a time in seconds, which is left out", "a 1 1796034755.94", { value: 1, timestampMs: undefined }],
    ["with an exemplar", 'a{x="1"} 17 # {trace_id="KOO5S4vxi0o"} 0.67 1520879607.789', { value: 17, timestampMs: undefined }],
    ["with a time and an exemplar", 'a 17 123 # {trace_id="x"} 0.67', { value: 17, timestampMs: 123 }],
    ["with an exponent", "a 3.980385e+06", { value: 3_980_385 }],
    ["with +Inf", "a +Inf", { value: Infinity }],
    ["with -Inf", "a -Inf", { value: -Infinity }],
    ["with NaN", "a NaN", { value: NaN }],
    ["ended by CR LF", "a 1\r\n", { value: 1 }],
    ["after a comment, a HELP, a TYPE and an empty line", "# x\n# HELP a text\n# TYPE a counter\n\na 1\n", { value: 1 }],
    ["before OpenMetrics' end", "a 1\n# EOF\n", { value: 1 }],
    ["that is the last and has no newline", "# x\na 1", { value: 1 }],
  ])("is read %s", (_what, text, expected) => {
    const { samples, counts } = read(text);
    expect(samples.map(plain)).toEqual([expect.objectContaining({ name: "a", ...expected })]);
    expect(counts).toMatchObject({ samples: 1, malformed: 0 });
  });

  it.each([
    ["no value", "a"],
    ["a blank instead of a value", "a "],
    ["no value after labels", 'a{x="1"}'],
    ["a word for a value", "a one"],
    ["a hexadecimal value", "a 0x10"],
    ["an underscore in its value", "a 1_000"],
    ["two values and more", "a 1 2 3"],
    ["a word for a time", "a 1 now"],
    ["an open brace", 'a{x="1" 1'],
    ["an open quote", 'a{x="1} 1'],
    ["a label without quotes", "a{x=1} 1"],
    ["a label without a value", "a{x} 1"],
    ["a label's name that begins with a digit", 'a{1x="1"} 1'],
    ["the same label twice", 'a{x="1",x="2"} 1'],
    ["an escape that there is not", String.raw`a{x="\t"} 1`],
    ["only a comma", "a{,} 1"],
    ["more labels than any page has", `a{${Array.from({ length: 65 }, (_, index) => `x${index}="1"`).join(",")}} 1`],
  ])("that is wanted but has %s is left out and counted", (_what, text) => {
    const { samples, counts } = read(`${text}\nb_total 1\n`);
    expect(samples.map((sample) => sample.name)).toEqual(["b_total"]);
    expect(counts.malformed).toBe(text === "a" ? 0 : 1);
  });

  it("is left out where its bytes are no UTF-8, for a name that is not certain is no name", () => {
    const page = Uint8Array.from([...bytes('a{x="'), 0xff, ...bytes('"} 1\nb_total 2\n')]);
    expect(readInChunks(page, ["a", "b_total"]).samples.map(plain)).toMatchObject([{ name: "b_total", value: 2 }]);
  });

  it.each(["ab 1", "a_total 1", "b_tota 1", "b_total_x 1", "A 1", '{"a"} 1', "a\u00a01"])("of another name is passed over: %s", (text) => {
    const { samples, counts } = read(text);
    expect(samples).toEqual([]);
    expect(counts).toMatchObject({ lines: 1, malformed: 0 });
  });
});

describe("bounds of a page", () => {
  it("pass over a line that is too long, count it, and read the next", () => {
    const { samples, counts } = readInChunks(bytes(`a{x="${"y".repeat(200)}"} 1\nb_total 2\na 3\n`), ["a", "b_total"], [9], { maxLineBytes: 100 });
    expect(samples.map(plain)).toMatchObject([{ name: "b_total" }, { name: "a", value: 3 }]);
    expect(counts.tooLong).toBe(1);
  });

  it("hold for a line that never ends", () => {
    const { counts } = readInChunks(bytes("a ".repeat(5_000)), ["a"], [10], { maxLineBytes: 100 });
    expect(counts).toMatchObject({ samples: 0, tooLong: 1 });
  });

  it("stop reading at the cap, say so, and make no sample of the half line there", () => {
    const { samples, counts } = readInChunks(bytes("a 1\na 23456\n"), ["a"], [3], { maxBytes: 7 });
    expect(samples.map(plain)).toMatchObject([{ value: 1 }]);
    expect(counts).toMatchObject({ overBound: true, bytes: 7 });
  });

  it("let a page pass that is just as long as the cap", () => {
    expect(readInChunks(bytes("a 1\na 2"), ["a"], [3], { maxBytes: 7 }).counts).toMatchObject({ overBound: false, samples: 2 });
  });
});

const name = fc.constantFrom("a", "b_total", "c:d", "kubelet_x_bucket");
const WANTED = ["a", "b_total", "kubelet_x_bucket"];
const blanks = fc.constantFrom("", " ", "\t ", "  ");
const value = fc.oneof(fc.double().map(String), fc.integer().map(String), fc.constantFrom("NaN", "+Inf", "-Inf", "Inf", "1e3", ".5", "5.", "x", "0x1"));
const labelValue = fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\r", ""));
const label = fc.tuple(fc.constantFrom("x", "y", "__proto__", "le", "z9"), blanks, labelValue).map(([key, gap, text]) => `${key}${gap}=${gap}"${text}"`);
const line = fc
  .tuple(blanks, name, blanks, fc.option(fc.tuple(fc.array(label, { maxLength: 4 }), fc.boolean())), value, fc.option(fc.integer().map(String)), fc.constantFrom("", " # {t=\"1\"} 0.5", "\r"))
  .map(([lead, word, gap, labels, number, time, tail]) => `${lead}${word}${labels === null ? " " : `${gap}{${labels[0].join(",")}${labels[1] && labels[0].length > 0 ? "," : ""}}`} ${number}${time === null ? "" : ` ${time}`}${tail}`);
const junk = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom("# HELP a b", "# EOF", "", "a{", 'a{x="', "a 1 2 3", '"a" 1'));
const page = fc.array(fc.oneof({ weight: 3, arbitrary: line }, { weight: 1, arbitrary: junk }), { maxLength: 12 }).map((lines) => bytes(lines.join("\n")));
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 });

describe("whatever the bytes", () => {
  it("reading never throws and never makes more samples than there are lines", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), sizes, (noise, chunks) => {
        const { samples, counts } = readInChunks(noise, WANTED, chunks);
        expect(counts.samples).toBe(samples.length);
        expect(samples.length).toBeLessThanOrEqual(counts.lines);
        expect(samples.every((sample) => WANTED.includes(sample.name))).toBe(true);
      }),
    );
  });

  it("reading never throws on a page with bytes changed, and finds nothing that the reference parser does not", () => {
    fc.assert(
      fc.property(page, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 5 }), sizes, (good, changes, chunks) => {
        const bent = Uint8Array.from(good);
        for (const [at, byte] of changes) if (bent.length > 0) bent[at % bent.length] = byte;
        expect(readInChunks(bent, WANTED, chunks).samples.map(plain)).toEqual(referenceParse(bent).filter((sample) => WANTED.includes(sample.name)));
      }),
      { numRuns: 500 },
    );
  });

  it("a generated page reads as the reference parser reads it", () => {
    fc.assert(
      fc.property(page, (good) => {
        expect(readInChunks(good, WANTED).samples.map(plain)).toEqual(referenceParse(good).filter((sample) => WANTED.includes(sample.name)));
      }),
      { numRuns: 500 },
    );
  });

  it("the result does not depend on where the chunks are cut", () => {
    fc.assert(
      fc.property(page, sizes, fc.integer({ min: 5, max: 60 }), fc.integer({ min: 1, max: 300 }), (good, chunks, maxLineBytes, maxBytes) => {
        const whole = readInChunks(good, WANTED, [Math.max(1, good.length)], { maxLineBytes, maxBytes });
        expect(readInChunks(good, WANTED, chunks, { maxLineBytes, maxBytes })).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });
});
