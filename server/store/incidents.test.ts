import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INCIDENTS_KEPT_MS } from "../domain/incident/timing";
import type { AuditEntry } from "../domain/permit";
import { openIngest } from "./ingest";
import { MAX_INCIDENTS_KEPT, MAX_KEPT_STRETCHES } from "./ingest/retention";
import { MAX_NOTES, type State } from "./state-types";
import { permit } from "./testing/actions";
import { batch } from "./testing/batches";
import { fleetIncident, incidentBatch, nodeIncident } from "./testing/incidents";
import { closeStore, openWholeStore, type OpenStore } from "./testing/open-store";
import { T0 } from "./testing/temp-store";
import type { Ingest, IncidentBatch, Reader } from "./types";

const DAY = 86_400_000;
let store: OpenStore["store"];
let ingest: Ingest;
let reader: Reader;
let state: State;
beforeEach(() => {
  ({ store, ingest, reader, state } = openWholeStore());
});
afterEach(() => closeStore({ store, ingest, reader, state }));

const write = (parts: Partial<IncidentBatch>, atMs = T0): number => ingest.write(batch(atMs, { incidents: incidentBatch(parts) })).seq;
const audit = (verb: string, actor = "anna"): AuditEntry => ({ atMs: T0 + 5_000, actor, verb, object: "incident/1", requestId: "r", outcome: "done", detail: {} });
const ALL = ["open", "unknown", "recovering", "closed"] as const;
function maintainAll(nowMs: number): void {
  for (let steps = 1; steps < 10_000; steps += 1) if (!ingest.maintain(nowMs)) return;
  throw new Error("upkeep does not end");
}

describe("an incident", () => {
  it("is told back as it was written, with its story in order", () => {
    const incident = nodeIncident(1, "a");
    write({ saved: [incident], entries: [{ incident: 1, atMs: T0, kind: "sign", text: "First sign", detail: "No." }, { incident: 1, atMs: T0 + 1, kind: "opened", text: "Incident opened" }], kept: [{ incident: 1, node: "a", fromMs: T0, toMs: T0 + 300_000 }] });
    write({ saved: [{ ...incident, state: "recovering" }], entries: [{ incident: 1, atMs: T0 + 2, kind: "recovering", text: "The node can start pods again" }] });
    const found = reader.incident(1);
    expect(found?.incident).toEqual({ ...incident, state: "recovering" });
    expect(found?.entries.map(({ kind }) => kind)).toEqual(["sign", "opened", "recovering"]);
    expect(found?.kept).toEqual([{ incident: 1, node: "a", fromMs: T0, toMs: T0 + 300_000 }]);
    expect(found?.people).toEqual({ notes: 0 });
  });

  it("that is only watched is in no list, count or page, and is forgotten without a trace", async () => {
    write({ saved: [nodeIncident(1, "a", { state: "watched" })], entries: [{ incident: 1, atMs: T0, kind: "sign", text: "First sign" }] });
    expect(reader.incidents({ states: ALL, limit: 10 }).rows).toEqual([]);
    expect(reader.openIncidents()).toEqual({ open: 0, blocking: 0 });
    expect(reader.incident(1)).toBeUndefined();
    expect(await state.acknowledgeIncident(permit, audit("incident.acknowledge"), 1)).toBeUndefined();
    expect(ingest.loadIncidents(T0).items).toHaveLength(1);
    write({ forgotten: [1] });
    expect(ingest.loadIncidents(T0)).toMatchObject({ items: [], lastId: 1 });
  });

  it("that is open is never forgotten, whoever asks for it", () => {
    write({ saved: [nodeIncident(1, "a")] });
    write({ forgotten: [1] });
    expect(reader.incident(1)).toBeDefined();
  });

  it("is listed newest first, by state and by node, a page at a time; members only under their fleet incident", () => {
    write({ saved: [nodeIncident(1, "a", { state: "closed", closedMs: T0 }), nodeIncident(2, "b"), fleetIncident(3), nodeIncident(4, "c", { fleet: 3 }), nodeIncident(5, "a", { state: "unknown", severity: "risks" })] });
    const ids = (query: Partial<Parameters<Reader["incidents"]>[0]>) => reader.incidents({ states: ALL, limit: 10, ...query }).rows.map(({ incident }) => incident.id);
    expect(ids({})).toEqual([5, 3, 2, 1]);
    expect(ids({ states: ["closed"] })).toEqual([1]);
    expect(ids({ node: "a" })).toEqual([5, 1]);
    expect(ids({ node: "c" })).toEqual([4]);
    expect(ids({ members: true })).toEqual([5, 4, 3, 2, 1]);
    expect(ids({ beforeId: 3 })).toEqual([2, 1]);
    expect(reader.incidents({ states: ALL, limit: 2 })).toMatchObject({ truncated: true });
    expect(reader.incident(3)?.members.map(({ incident }) => incident.id)).toEqual([4]);
    expect(reader.openIncidents()).toEqual({ open: 3, blocking: 2 });
  });

  it("is found again by a collector that starts: what is not closed, what closed lately, and their fleet incidents' members", () => {
    write({
      saved: [
        nodeIncident(1, "a", { state: "closed", closedMs: T0 - 3 * DAY }), nodeIncident(2, "b", { state: "closed", closedMs: T0 - 60_000 }), nodeIncident(3, "c"), fleetIncident(4), nodeIncident(5, "d", { state: "closed", closedMs: T0 - 3 * DAY, fleet: 4 }),
      ],
    });
    ingest.close();
    ingest = openIngest({ file: store.file, nowMs: T0 });
    const { items, lastId, lastLookMs } = ingest.loadIncidents(T0 - 30 * 60_000);
    expect(items.map(({ id }) => id)).toEqual([2, 3, 4, 5]);
    expect([lastId, lastLookMs]).toEqual([5, T0]);
  });

  it("that is told anew has the new story alone", () => {
    write({ saved: [nodeIncident(1, "a")], entries: [{ incident: 1, atMs: T0, kind: "opened", text: "Incident opened" }] });
    write({ saved: [nodeIncident(1, "a")], retold: [1], entries: [{ incident: 1, atMs: T0 - 9, kind: "sign", text: "First sign" }] });
    expect(reader.incident(1)?.entries.map(({ kind }) => kind)).toEqual(["sign"]);
  });
});

describe("what people say of an incident", () => {
  it("is kept with who and when, each with its audit row", async () => {
    write({ saved: [nodeIncident(1, "a")] });
    expect(await state.acknowledgeIncident(permit, audit("incident.acknowledge"), 1)).toEqual({ by: "anna", atMs: T0 + 5_000 });
    expect(await state.noteIncident(permit, audit("incident.note"), { id: 1, text: "The limit is 100m." })).toBe("done");
    expect(await state.titleIncident(permit, audit("incident.title"), { id: 1, text: "The night of the reboot" })).toBe(true);
    expect(await state.titleIncident(permit, audit("incident.title", "ben"), { id: 1, text: "The reboot" })).toBe(true);
    const found = reader.incident(1);
    expect(found?.people).toEqual({ title: { text: "The reboot", by: "ben", atMs: T0 + 5_000 }, acknowledged: { by: "anna", atMs: T0 + 5_000 }, notes: 1 });
    expect(found?.notes).toMatchObject([{ by: "anna", text: "The limit is 100m.", atMs: T0 + 5_000 }]);
    expect((await state.auditEntries({ limit: 10 })).map(({ verb }) => verb)).toEqual(["incident.title", "incident.title", "incident.note", "incident.acknowledge"]);
  });

  it("counts once: who acknowledged first did, and a second one is told so without an audit row", async () => {
    write({ saved: [nodeIncident(1, "a")] });
    const both = await Promise.all([state.acknowledgeIncident(permit, audit("incident.acknowledge", "anna"), 1), state.acknowledgeIncident(permit, audit("incident.acknowledge", "ben"), 1)]);
    expect(new Set(both.map((one) => one?.by)).size).toBe(1);
    expect(await state.auditEntries({ limit: 10 })).toHaveLength(1);
  });

  it("about an incident that is not there is nothing, and no audit row", async () => {
    expect(await state.acknowledgeIncident(permit, audit("incident.acknowledge"), 7)).toBeUndefined();
    expect(await state.noteIncident(permit, audit("incident.note"), { id: 7, text: "?" })).toBe("not-found");
    expect(await state.titleIncident(permit, audit("incident.title"), { id: 7, text: "?" })).toBe(false);
    expect(await state.auditEntries({ limit: 10 })).toEqual([]);
  });

  it("has a bound", async () => {
    write({ saved: [nodeIncident(1, "a")] });
    for (let note = 0; note < MAX_NOTES; note += 1) await state.noteIncident(permit, audit("incident.note"), { id: 1, text: String(note) });
    expect(await state.noteIncident(permit, audit("incident.note"), { id: 1, text: "one more" })).toBe("too-many");
  });

  it("reaches a page that is open, by the batch that comes next", async () => {
    const seq = write({ saved: [nodeIncident(1, "a"), nodeIncident(2, "b")] });
    await state.noteIncident(permit, audit("incident.note"), { id: 1, text: "…" });
    expect(ingest.write(batch(T0)).seq).toBe(seq + 1);
    expect(reader.changedIncidents(seq)).toEqual([1]);
    expect(reader.changedIncidents(seq + 1)).toEqual([]);
  });
});

describe("the bounds of what is kept", () => {
  it("closed incidents go after 30 days with all that is theirs, open ones stay", async () => {
    write({ saved: [nodeIncident(1, "a", { state: "closed", closedMs: T0 }), nodeIncident(2, "b")], entries: [{ incident: 1, atMs: T0, kind: "closed", text: "Closed" }], kept: [{ incident: 1, node: "a", fromMs: T0, toMs: T0 + DAY }] });
    await state.noteIncident(permit, audit("incident.note"), { id: 1, text: "…" });
    maintainAll(T0 + INCIDENTS_KEPT_MS - DAY);
    expect(reader.incident(1)).toBeDefined();
    maintainAll(T0 + INCIDENTS_KEPT_MS + DAY);
    expect(reader.incidents({ states: ALL, limit: 10 }).rows.map(({ incident }) => incident.id)).toEqual([2]);
    write({ saved: [nodeIncident(1, "a")] }); // nothing of the old one is left to show up in it
    expect(reader.incident(1)).toMatchObject({ entries: [], notes: [], kept: [], people: { notes: 0 } });
  });

  it("too many closed incidents, stretches and changes give way, the oldest first", () => {
    write({ saved: Array.from({ length: MAX_INCIDENTS_KEPT + 3 }, (_, index) => nodeIncident(index + 1, `n${index}`, { state: "closed", closedMs: T0 + index })) });
    write({ saved: [nodeIncident(9_001, "a")], kept: Array.from({ length: MAX_KEPT_STRETCHES + 2 }, (_, index) => ({ incident: 9_001, node: "a", fromMs: T0 + index * 300_000, toMs: T0 + (index + 1) * 300_000 })) });
    maintainAll(T0 + DAY);
    expect(reader.incident(3)).toBeUndefined();
    expect(reader.incident(4)).toBeDefined();
    expect(reader.incident(9_001)?.kept).toHaveLength(MAX_KEPT_STRETCHES);
    expect(reader.incident(9_001)?.kept[0]?.fromMs).toBe(T0 + 600_000);
  });
});

it("changes of a node are told with those of the cluster, oldest first, and not those of others", () => {
  const change = (node: string | undefined, atMs: number, text: string) => ({ kind: "rollout" as const, atMs, subject: "kube-system/kube-multus-ds", text, ...(node === undefined ? {} : { node }) });
  ingest.write(batch(T0, { changes: [change(undefined, T0 + 3, "Generation 1 to 2"), change("a", T0 + 1, "one"), change("b", T0 + 2, "other"), { ...change("a", T0 + 4, "two"), diff: "- a\n+ b" }] }));
  expect(reader.clusterChanges({ node: "a", fromMs: T0, toMs: T0 + 10, limit: 10 }).map(({ text }) => text)).toEqual(["one", "Generation 1 to 2", "two"]);
  expect(reader.clusterChanges({ node: "a", fromMs: T0, toMs: T0 + 10, limit: 1 })).toEqual([{ kind: "rollout", atMs: T0 + 4, node: "a", subject: "kube-system/kube-multus-ds", text: "two", diff: "- a\n+ b" }]);
  maintainAll(T0 + 31 * DAY);
  expect(reader.clusterChanges({ node: "a", fromMs: 0, toMs: T0 + 10, limit: 10 })).toEqual([]);
});
