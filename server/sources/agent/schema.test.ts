import fc from "fast-check";
import { expect, test } from "vitest";
import { AGENT_REPORT_VERSION, MAX_SANDBOXES, MAX_SOCKETS, MAX_TEXT_CHARS, type SandboxReading } from "@/server/domain/agent-report";
import { parseReport } from "./schema";
import { sampleReport } from "./testing";

const sandbox: SandboxReading = { id: "a", namespace: "default", name: "web", uid: "u", attempt: 0, ready: true };
const withSandboxes = (items: readonly SandboxReading[]) => sampleReport({ sandboxes: { looked: true, items, tookSeconds: 0, truncated: false } });

test("a report comes through unchanged, whether a part was looked at or not", () => {
  expect(parseReport(sampleReport())).toEqual({ ok: true, report: sampleReport() });
  const blind = { looked: false, reason: "EACCES" } as const;
  const report = sampleReport({ runtime: blind, sandboxes: blind, sockets: blind, config: blind });
  expect(parseReport(report)).toEqual({ ok: true, report });
});

test("what a later agent adds is ignored, at every level", () => {
  const later = { ...sampleReport({ version: AGENT_REPORT_VERSION + 1 }), caches: { looked: true }, runtime: { looked: true, reading: { name: "containerd", version: "2", conditions: [], handlers: ["runc"] } } };
  expect(parseReport(later)).toMatchObject({ ok: true, report: { version: AGENT_REPORT_VERSION + 1, runtime: { reading: { version: "2" } } } });
  expect(JSON.stringify(parseReport(later))).not.toMatch(/caches|handlers/);
});

test("a version further apart says which side to upgrade", () => {
  expect(parseReport({ version: AGENT_REPORT_VERSION + 2 })).toEqual({ ok: false, reason: "version", detail: `report version ${String(AGENT_REPORT_VERSION + 2)} is not understood: upgrade the server` });
});

test.each<[string, unknown, RegExp]>([
  ["too many sandboxes", withSandboxes(Array.from({ length: MAX_SANDBOXES + 1 }, () => sandbox)), /^sandboxes\.items: .*20000/],
  ["too many sockets", sampleReport({ sockets: { looked: true, items: Array.from({ length: MAX_SOCKETS + 1 }, () => ({ name: "s", path: "/s", state: "answers" as const })) } }), /^sockets\.items: .*64/],
  ["a text that is too long", sampleReport({ runtime: { looked: false, reason: "x".repeat(MAX_TEXT_CHARS + 1) } }), /^runtime\.reason: .*1024/],
  ["a time that is no whole number", sampleReport({ atMs: 0.5 }), /^atMs: /],
  ["a time beyond all clocks", sampleReport({ atMs: 1e300 }), /^atMs: /],
  ["a negative sequence", sampleReport({ sequence: -1 }), /^sequence: /],
  ["a state that does not exist", { ...sampleReport(), sockets: { looked: true, items: [{ name: "s", path: "/s", state: "fine" }] } }, /^sockets\.items\.0\.state: /],
  ["a part that neither looked nor says why", { ...sampleReport(), config: {} }, /^config/],
  ["no version", {}, /^version: /],
])("%s is malformed, and the reason names the field but never the value", (_name, value, detail) => {
  const parsed = parseReport(value);
  expect(parsed).toMatchObject({ ok: false, reason: "malformed", detail: expect.stringMatching(detail) as string });
  expect(JSON.stringify(parsed).length).toBeLessThan(600);
});

test("the largest report allowed is taken", () => {
  expect(parseReport(withSandboxes(Array.from({ length: MAX_SANDBOXES }, () => sandbox))).ok).toBe(true);
});

test("no value makes it throw, and only what is within the bounds comes through", () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(json, fc.constantFrom(...Object.keys(sampleReport())), (value, key) => {
      const parsed = parseReport({ ...sampleReport(), [key]: value });
      if (parsed.ok) expect(parseReport(parsed.report)).toEqual(parsed);
    }),
    { numRuns: 2_000 },
  );
});
