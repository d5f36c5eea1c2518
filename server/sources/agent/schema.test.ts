import fc from "fast-check";
import { expect, test } from "vitest";
import { AGENT_REPORT_VERSION, MAX_SANDBOXES, MAX_SOCKETS, MAX_TEXT_CHARS, type SandboxReading } from "@/server/domain/agent-report";
import {
  MAX_BINARIES,
  MAX_CGROUPS,
  MAX_CONFIG_CHANGES,
  MAX_CONF_FILES,
  MAX_DIFF_CHARS,
  MAX_END_UNIX_SECONDS,
  MAX_PLUGIN_PROCESSES,
  MAX_STALE_MOUNTS,
  MAX_WANTED_BY,
  type LaterParts,
} from "@/server/domain/agent-readings";
import { EVERY_LATER_PART } from "@/server/domain/testing/later-parts";
import { parseBody } from "./body";
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

test("every later part comes through with every field that it can have", () => {
  const report = sampleReport({ ...EVERY_LATER_PART, sockets: { looked: true, items: [{ name: "multus", path: "/run/multus/multus.sock", state: "answers", inode: "0:25/11043286", kind: "socket", owner: "0:0" }] } });
  expect(parseReport(report)).toEqual({ ok: true, report });
});

test("each later part may say by itself why it could not be looked at, and may be missing", () => {
  const blind = { looked: false, reason: "EACCES" } as const;
  const { configChanges: _, ...parts } = EVERY_LATER_PART;
  for (const part of Object.keys(parts)) {
    const report = sampleReport({ ...EVERY_LATER_PART, [part]: blind });
    expect(parseReport(report)).toEqual({ ok: true, report });
    const { [part as keyof LaterParts]: _gone, ...without } = report;
    expect(parseReport(without)).toEqual({ ok: true, report: without });
  }
});

test("what a later agent adds is ignored, at every level", () => {
  const later = { ...sampleReport({ version: AGENT_REPORT_VERSION + 1 }), weather: { looked: true }, runtime: { looked: true, reading: { name: "containerd", version: "2", conditions: [], handlers: ["runc"] } } };
  expect(parseReport(later)).toMatchObject({ ok: true, report: { version: AGENT_REPORT_VERSION + 1, runtime: { reading: { version: "2" } } } });
  expect(JSON.stringify(parseReport(later))).not.toMatch(/weather|handlers/);
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
  ["a later part with too many items", sampleReport({ cgroups: { looked: true, items: Array.from({ length: MAX_CGROUPS + 1 }, () => EVERY_LATER_PART.cgroups.items[0]) } }), /^cgroups\.items: .*128/],
  ["a diff that is too long", sampleReport({ configChanges: [{ file: "a", atMs: 1, change: "added", diff: "+".repeat(MAX_DIFF_CHARS + 1) }] }), /^configChanges\.0\.diff: .*4096/],
  ["a program that too many ask for", sampleReport({ binaries: { looked: true, items: [{ type: "bridge", wantedBy: Array.from({ length: MAX_WANTED_BY + 1 }, () => "a") }] } }), /^binaries\.items\.0\.wantedBy: .*16/],
  ["a digest that is none", { ...sampleReport(), binaries: { looked: true, items: [{ type: "bridge", sha256: "s3cr3t", wantedBy: [] }] } }, /^binaries\.items\.0\.sha256: /],
  ["credentials that end later than any date", sampleReport({ credentials: { looked: true, items: [{ path: "/k", wantedBy: [], kind: "token", expiresUnixSeconds: MAX_END_UNIX_SECONDS + 1 }] } }), /^credentials\.items\.0\.expiresUnixSeconds: /],
  ["a third cgroup version", { ...sampleReport(), cgroups: { looked: true, items: [{ ...EVERY_LATER_PART.cgroups.items[0], cgroupVersion: 3 }] } }, /^cgroups\.items\.0\.cgroupVersion: /],
])("%s is malformed, and the reason names the field but never the value", (_name, value, detail) => {
  const parsed = parseReport(value);
  expect(parsed).toMatchObject({ ok: false, reason: "malformed", detail: expect.stringMatching(detail) as string });
  expect(JSON.stringify(parsed).length).toBeLessThan(600);
});

test("the largest report allowed is taken, and is within what is measured before it is parsed", async () => {
  const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
  const { cgroups, processes, mounts, binaries, configFiles, configChanges } = EVERY_LATER_PART;
  const largest = {
    ...withSandboxes(times(MAX_SANDBOXES, sandbox)),
    ...EVERY_LATER_PART,
    cgroups: { looked: true, items: times(MAX_CGROUPS, cgroups.items[0]) },
    processes: { ...processes, items: times(MAX_PLUGIN_PROCESSES, processes.items[0]) },
    mounts: { ...mounts, stale: times(MAX_STALE_MOUNTS, mounts.stale[0]) },
    binaries: { looked: true, items: times(MAX_BINARIES, { ...binaries.items[0], wantedBy: times(MAX_WANTED_BY, "10-bridge.conflist") }) },
    configFiles: { looked: true, reading: { ...configFiles.reading, files: times(MAX_CONF_FILES, configFiles.reading.files[0]) } },
    configChanges: times(MAX_CONFIG_CHANGES, { ...configChanges[0], diff: "+".repeat(MAX_DIFF_CHARS) }),
  };
  expect(parseReport(await parseBody(Buffer.from(JSON.stringify(largest)), false)).ok).toBe(true);
});

test("what an agent gave up is read with its span; that an older one does not tell it is no zero, and what a later one adds is passed over", () => {
  const lostReports = { thinned: 30, tooOld: 7, fromMs: 1_779_999_000_000, toMs: 1_780_000_000_000 };
  expect(parseReport(sampleReport({ lostReports }))).toMatchObject({ ok: true, report: { lostReports } });
  const later = parseReport({ ...sampleReport(), version: 2, lostReports: { ...lostReports, refused: 3 } });
  expect(later.ok ? later.report.lostReports : later).toEqual(lostReports);
  const older = parseReport(sampleReport());
  expect(older.ok && "lostReports" in older.report).toBe(false);
  for (const wrong of [{ thinned: -1, tooOld: 0 }, { thinned: 0.5, tooOld: 0 }, { thinned: 1e300, tooOld: 0 }, { thinned: 0 }, "none"]) expect(parseReport({ ...sampleReport(), lostReports: wrong })).toMatchObject({ ok: false, reason: "malformed", detail: expect.stringContaining("lostReports") });
});

test("no value makes it throw, and only what is within the bounds comes through", () => {
  const whole = sampleReport(EVERY_LATER_PART);
  const places = fc.constantFrom(...placesOf(whole));
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), places, (value, place) => {
      const parsed = parseReport(put(whole, place, value));
      if (parsed.ok) expect(parseReport(parsed.report)).toEqual(parsed);
    }),
    { numRuns: 5_000 },
  );
});

/** Every place in a value, the inner ones with the way to them. */
function placesOf(value: unknown): readonly string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...placesOf(inner).map((rest) => [key, ...rest])]);
}

function put(value: unknown, [key, ...rest]: readonly string[], instead: unknown): unknown {
  if (key === undefined) return instead;
  if (Array.isArray(value)) return value.map((item: unknown, at) => (String(at) === key ? put(item, rest, instead) : item));
  if (typeof value !== "object" || value === null) return value;
  return { ...value, [key]: put(Object.entries(value).find(([name]) => name === key)?.[1], rest, instead) };
}
