import { PassThrough } from "node:stream";
import pino from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../clock";
import { MAX_TEXT_CHARS } from "../sources/kube-api/text";
import { MAX_RECORDS_PER_WINDOW, recordForeignText } from "./foreign-text";

interface Record {
  readonly level: number;
  readonly msg: string;
  readonly text?: string;
  readonly untold?: number;
}
let nowMs = 0;
let due: { readonly atMs: number; readonly run: () => void }[] = [];
const clock: Clock = {
  rate: 1,
  now: () => nowMs,
  after: (ms, run) => {
    const one = { atMs: nowMs + ms, run };
    due.push(one);
    return () => (due = due.filter((other) => other !== one));
  },
};
const pass = (ms: number): void => {
  nowMs += ms;
  for (const { run } of due.filter(({ atMs }) => atMs <= nowMs)) run();
};

let lines: string[];
const records = (): Record[] => lines.map((line) => JSON.parse(line) as Record); // as pino writes it
let stream: PassThrough;
let closed: Promise<void>;
const print = async (text: string): Promise<void> => {
  stream.write(text);
  await new Promise((resolve) => setImmediate(resolve));
};
beforeEach(() => {
  nowMs = 0;
  due = [];
  lines = [];
  stream = new PassThrough();
  closed = recordForeignText(stream, clock, pino({ level: "warn" }, { write: (line: string) => lines.push(line) }));
});

describe("what a process prints that writes no records", () => {
  test("is one record of one line, with its stack and whatever it holds", async () => {
    await print("Error: no\u001b[31m\n    at a\n");
    await print('    at b\n{"level":50,"msg":"forged"}\n');
    expect(lines).toEqual([]);
    pass(200);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toContain("\n");
    expect(records()).toMatchObject([{ level: 50, msg: "web process printed", text: 'Error: no␛[31m\n    at a\n    at b\n{"level":50,"msg":"forged"}' }]);
  });

  test("is cut, and shows it", async () => {
    await print("x".repeat(1_000_000));
    pass(200);
    expect(records().map(({ text }) => text?.length)).toEqual([MAX_TEXT_CHARS]);
    expect(records()[0]?.text?.endsWith("…")).toBe(true);
  });

  test("is only counted beyond so many a minute, and told again afterwards with how many were not", async () => {
    for (let index = 0; index < MAX_RECORDS_PER_WINDOW + 7; index += 1) {
      await print(`${index}\n`);
      pass(200);
    }
    expect(records().map(({ text }) => text)).toEqual(Array.from({ length: MAX_RECORDS_PER_WINDOW }, (_, index) => String(index)));
    pass(60_000);
    await print("later\n");
    pass(200);
    expect(records().at(-1)).toMatchObject({ text: "later", untold: 7 });
  });

  test("is told to the last word where the process ends, and empty lines are nothing", async () => {
    await print("\n\n");
    pass(200);
    await print("FATAL ERROR");
    stream.end();
    await closed;
    expect(records().map(({ text }) => text)).toEqual(["FATAL ERROR"]);
    expect(due).toEqual([]);
  });
});
