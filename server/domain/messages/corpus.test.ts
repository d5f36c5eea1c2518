import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { MESSAGE_CODES } from "../causes/codes";
import { explain } from "./explain";
import { type CorpusRow, alike, isScored, parseCorpus, score, scoreTable } from "./testing/score";

const rows = parseCorpus(readFileSync(path.join(import.meta.dirname, "corpus/messages.jsonl"), "utf8"));

/** The bar: right where it commits, and how often it commits where a thread states the cause. */
const LEAST_RIGHT = 0.95;
const LEAST_COMMITTED = 0.8;

describe("recorded messages of public threads", () => {
  test("are read right in at least 95 % of the cases in which a cause is given, and one is given for at least 80 % of the sure ones", () => {
    const result = score(rows);
    console.log(scoreTable(result));
    expect(result.total.rows).toBeGreaterThan(100);
    expect(result.total.right / result.total.committed).toBeGreaterThanOrEqual(LEAST_RIGHT);
    expect(result.high.committed / result.high.rows).toBeGreaterThanOrEqual(LEAST_COMMITTED);
  });

  test("lead to a code of a message and never to one that needs signals", () => {
    const codes: readonly string[] = MESSAGE_CODES;
    expect(rows.map(({ message }) => explain(message).cause).filter((cause) => !codes.includes(cause))).toEqual([]);
  });

  test("are quoted word for word", () => {
    const plain = (text: string): string => text.replace(/\s+/gu, " ");
    for (const { message } of rows) for (const { text } of explain(message).because) expect(plain(message)).toContain(text);
  });

  test("come with what to look at, and every cause but the undecided one with what to do", () => {
    for (const { message } of rows) {
      const { cause, lookAt, fix, docs } = explain(message);
      expect(lookAt.length).toBeGreaterThan(0);
      expect(fix.length > 0 || cause === "unknown").toBe(true);
      expect(docs).toBe(`docs/use/causes/${cause}.md`);
    }
  });
});

type Change = readonly [name: string, change: (row: CorpusRow) => string];

const ESCAPE = String.fromCharCode(27);
/** Other ids, addresses and hashes of the same length. */
const otherNames = (text: string): string => text.replace(/[0-9a-f]{64}/gu, "c0ffee".repeat(11).slice(0, 64)).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, "aaaabbbb-cccc-dddd-eeee-ffff00001111").replace(/\bapp-[a-z0-9-]+/gu, "frontend-6b8f-z9").replace(/\bns1\b/gu, "tenant-a");

const CHANGES: readonly Change[] = [
  ["other pods, ids and namespaces", ({ message }) => otherNames(message)],
  ["upper case", ({ message }) => message.toUpperCase()],
  ["a klog header and fields behind", ({ message }) => `E1130 14:02:11.000123    4711 pod_workers.go:1301] "Error syncing pod, skipping" err=${JSON.stringify(message)} pod="tenant-a/frontend-0" podUID="aaaabbbb-cccc-dddd-eeee-ffff00001111"`],
  ["a JSON log line", ({ message }) => JSON.stringify({ level: "error", ts: "2026-11-30T14:02:11Z", msg: message })],
  ["a line of kubectl get events", ({ message }) => `3m12s (x14 over 9m)   Warning   FailedCreatePodSandBox   pod/frontend-0   ${message}`],
  ["combined from similar events", ({ message }) => `(combined from similar events): ${message}`],
  ["colours and carriage returns", ({ message }) => message.split(" ").map((word) => `${ESCAPE}[31m${word}${ESCAPE}[0m`).join(" ") + "\r\n"],
  ["quoted twice more", ({ message }) => JSON.stringify(JSON.stringify(message))],
  ["tabs and doubled blanks", ({ message }) => message.replaceAll(" ", " \t ")],
  ["typographic quotes", ({ message }) => message.replaceAll('"', "\u201d")],
];

describe.each(CHANGES)("the same text with %s", (_name, change) => {
  test("gets the same answer", () => {
    const changed = rows.filter(isScored).filter((row) => explain(row.message).cause !== explain(change(row)).cause);
    expect(changed.map((row) => `${row.id} ${explain(row.message).cause} -> ${explain(change(row)).cause}`)).toEqual([]);
  });
});

describe("a text that is cut", () => {
  test("gets the same answer, a look-alike's or none", () => {
    const strayed: string[] = [];
    let same = 0;
    let cuts = 0;
    for (const row of rows.filter(isScored)) {
      const whole = explain(row.message).cause;
      for (const share of [0.98, 0.95, 0.9, 0.85]) {
        const { cause } = explain(row.message.slice(0, Math.floor(row.message.length * share)));
        cuts += 1;
        if (cause === whole) same += 1;
        else if (cause !== "unknown" && !alike(cause, whole)) strayed.push(`${row.id} ${whole} -> ${cause} at ${String(share)}`);
      }
    }
    console.log(`cut texts: ${String(same)} of ${String(cuts)} as the whole text, ${String(strayed.length)} astray\n${strayed.join("\n")}`);
    expect(strayed.length / cuts).toBeLessThanOrEqual(0.05);
    expect(same / cuts).toBeGreaterThanOrEqual(0.8);
  });
});
