import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GET as audit } from "@/app/api/v1/audit/route";
import { POST as acknowledge } from "@/app/api/v1/incidents/[id]/acknowledge/route";
import { GET as exported } from "@/app/api/v1/incidents/[id]/export/route";
import { POST as note } from "@/app/api/v1/incidents/[id]/notes/route";
import { GET as incident } from "@/app/api/v1/incidents/[id]/route";
import { POST as title } from "@/app/api/v1/incidents/[id]/title/route";
import { GET as incidents } from "@/app/api/v1/incidents/route";
import { GET as status } from "@/app/api/v1/status/route";
import { MAX_NOTE_CHARS, MAX_TITLE_CHARS } from "../contract/incidents";
import type { AuditLog } from "../contract/schemas";
import type { NodeName } from "../domain/ids";
import type { NodeIncident } from "../domain/incident/types";
import { fleetIncident, incidentBatch, nodeIncident } from "../store/testing/incidents";
import type { RouteHandler } from "./handler";
import { ROUTES } from "./routes";
import { localRequest, startTestWeb, testView, type TestWeb } from "./testing/web";

const HOSTILE = "<script>alert(1)</script> [x](javascript:alert(2)) `rm -rf`\n# not a heading";
const REFUSED = `Failed to create pod sandbox: plugin type="multus-shim" failed (add): dial unix /run/multus/multus.sock: connect: connection refused ${HOSTILE}`;
const MINUTE = 60_000;

let web: TestWeb;
let nowMs: number;
beforeAll(() => {
  web = startTestWeb();
  nowMs = web.nowMs;
  const noMs = nowMs - 30 * MINUTE;
  const of = (id: number, node: string, over: Partial<NodeIncident> = {}): NodeIncident =>
    nodeIncident(id, node, {
      signMs: noMs, openedMs: noMs + MINUTE, stateMs: noMs + MINUTE, turnMs: noMs, noMs, traits: { pool: "edge", kernel: "6.8" },
      answer: { state: "no", atRisk: false, idle: false, sinceMs: noMs, summary: "0 fresh sandboxes in 10 min, 2 pods waiting." },
      peak: { waiting: 2, waitingSystem: 1, atMs: noMs + MINUTE },
      causes: [
        { code: "daemon-down", title: "The CNI daemon is down", severity: "blocks", certainty: "named", state: "firing", firstMs: noMs, sinceMs: noMs, seenMs: nowMs, times: 1, summary: `Its socket refuses. ${HOSTILE}`, evidence: [{ what: "Socket", look: "seen", value: "refuses", source: "agent" }, { what: "Limits", look: "could-not-look", reason: "no agent", source: "agent" }] },
        { code: "retry-storm", title: "A retry storm", severity: "blocks", certainty: "suspected", state: "unseen", firstMs: noMs, sinceMs: noMs, seenMs: noMs, times: 1, summary: "Calls outlive their deadline.", evidence: [], reason: "no agent", under: "daemon-down" },
      ],
      hurt: [{ namespace: "kube-system", kind: "Deployment", name: "coredns", role: "DNS", waiting: 1, mostWaiting: 1, started: 1, replicas: 2, sinceMs: noMs }, { namespace: "shop", kind: "Deployment", name: "web", waiting: 0, mostWaiting: 1, sinceMs: noMs, toMs: nowMs }],
      ...over,
    });
  web.write({
    views: ["node-1", "node-2"].map((name) => testView(name, nowMs)),
    answers: [{ node: "node-1", atMs: noMs - 2 * MINUTE, state: "yes", atRisk: false, idle: false, summary: "Last fresh sandbox." }, { node: "node-1", atMs: noMs, state: "no", atRisk: false, idle: false, summary: "0 fresh sandboxes in 10 min." }],
    events: [0, 1, 2].map((index) => ({ uid: `e${index}`, namespace: "shop", reason: "FailedCreatePodSandBox", type: "Warning" as const, message: REFUSED, count: 2, firstMs: noMs + index * MINUTE, lastMs: noMs + index * MINUTE + 30_000, about: { kind: "Pod", namespace: "shop", name: index < 2 ? "web-1" : "web-2", uid: `p${index}` }, host: "node-1", node: "node-1" })),
    changes: [{ kind: "rollout", atMs: noMs - MINUTE, subject: "kube-system/kube-multus-ds", text: "Generation 7 to 8", diff: "- image a\n+ image b" }],
    sources: [{ node: "node-1", source: "agent", atMs: noMs - 3 * MINUTE, fresh: true, reason: "" }, { node: "node-1", source: "agent", atMs: noMs + 5 * MINUTE, fresh: false, reason: "nothing for 46 s" }],
    incidents: incidentBatch({
      saved: [
        of(1, "node-1"),
        of(2, "node-2", { state: "closed", stateMs: nowMs, closedMs: nowMs, closedBecause: "recovered", recoveredMs: nowMs - 5 * MINUTE, causes: [] }),
        fleetIncident(3, { signMs: noMs, openedMs: noMs, stateMs: noMs, lastTurnMs: noMs, members: 1, nodes: ["node-4"], now: { open: 1, unknown: 0, recovering: 0, closed: 0 }, shared: { sick: 1, well: 9, shared: [{ trait: "kernel", value: "6.8", sick: 1, sickKnown: 1, well: 0, wellKnown: 9, chance: 0.001 }], compared: ["kernel"] } }),
        of(4, "node-4", { fleet: 3, causes: [] }),
        of(5, "node-5", { severity: "risks", state: "recovering", recoveredMs: nowMs - MINUTE }),
        of(6, "node-6", { state: "watched" }),
        fleetIncident(17, { state: "closed", stateMs: nowMs, closedMs: nowMs, members: 0, nodes: [], now: { open: 0, unknown: 0, recovering: 0, closed: 0 } }),
      ],
      entries: [{ incident: 1, atMs: noMs, kind: "sign", text: "First sign" }, { incident: 1, atMs: noMs + MINUTE, kind: "opened", text: "Incident opened", detail: HOSTILE }, { incident: 3, atMs: noMs, kind: "opened", text: "Fleet incident opened" }],
      kept: [{ incident: 1, node: "node-1", fromMs: noMs - 60 * MINUTE, toMs: nowMs }],
    }),
  });
});
afterAll(() => web.close());

const get = (handler: RouteHandler, url: string, params: Record<string, string> = {}): Promise<Response> => handler(localRequest(url), { params: Promise.resolve(params) });
const origin = { origin: "http://localhost:7400", "content-type": "application/json" };
const post = (handler: RouteHandler, id: string, body: unknown, headers: Record<string, string> = origin): Promise<Response> =>
  handler(localRequest(`/api/v1/incidents/${id}/x`, { method: "POST", body: JSON.stringify(body), headers }), { params: Promise.resolve({ id }) });
const list = async (query = ""): Promise<{ ids: number[]; truncated: boolean }> => {
  const body = ROUTES.incidents.answer.strict().parse(await (await get(incidents, `/api/v1/incidents${query}`)).json());
  return { ids: body.items.map(({ id }) => id), truncated: body.truncated };
};
const detail = async (id: number) => ROUTES.incident.answer.strict().parse(await (await get(incident, `/api/v1/incidents/${id}`, { id: String(id) })).json());

describe("the list of incidents", () => {
  test("has those that are not over first, blocking before risks, and no member beside its fleet incident, and none that is only watched or has lost all its nodes", async () => {
    expect(await list()).toEqual({ ids: [3, 1, 5, 2], truncated: false });
    expect((await list("?state=open")).ids).toEqual([3, 1, 5]);
    expect((await list("?state=closed")).ids).toEqual([2]);
    expect((await list("?node=node-4")).ids).toEqual([4]);
    expect((await list("?state=closed&before=2")).ids).toEqual([]);
  });

  test("is counted in the status, so that every page can show it", async () => {
    expect(ROUTES.status.answer.parse(await (await get(status, "/api/v1/status")).json()).incidents).toEqual({ open: 3, blocking: 2 });
  });

  test.each(["?state=all-of-them", "?limit=0", "?limit=x", "?before=-1", "?node=.."])("refuses %s and names the field", async (query) => {
    const answer = await get(incidents, `/api/v1/incidents${query}`);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { errors: unknown[] }).errors).toHaveLength(1);
  });
});

describe("one incident", () => {
  test("tells its story in order: rollout, sign, attempts with their meaning, answer, opening, gap", async () => {
    const body = await detail(1);
    expect(body.story.map(({ kind }) => kind)).toEqual(["rollout", "sign", "attempts", "answer", "incident", "gap"]);
    const attempts = body.story.find(({ kind }) => kind === "attempts")?.attempts;
    expect(attempts).toMatchObject({ events: 6, pods: 2, named: [{ pod: "shop/web-1", attempts: 4, runs: [{ from: 1, to: 2 }, { from: 3, to: 4 }] }, { pod: "shop/web-2" }] });
    expect(attempts?.cause).not.toBe("unknown");
    expect(body.story.at(-1)).toMatchObject({ tone: "unknown", detail: "nothing for 46 s" });
  });

  test("tells of a gap of a minute and a half in an hour and a half, a restart of Sandglass as much as a silent kubelet", async () => {
    const holeMs = nowMs - 20 * MINUTE;
    const times = Array.from({ length: 4 * 95 }, (_, index) => nowMs - 95 * MINUTE + index * 15_000).filter((atMs) => atMs <= holeMs || atMs >= holeMs + 90_000);
    web.write({ samples: times.map((atMs) => ({ node: "node-2" as NodeName, signal: "cri.run_sandbox.calls", instance: "", atMs, value: 1 })) });
    const gaps = (await detail(2)).story.filter(({ kind }) => kind === "gap");
    expect(gaps).toMatchObject([{ tone: "unknown", at: new Date(holeMs).toISOString(), until: new Date(holeMs + 90_000).toISOString(), detail: "No sample came for 90 s." }]);
  });

  test("has its causes, what one brought about after it, with their evidence, and who is hurt, the system first", async () => {
    const body = await detail(1);
    expect(body.allCauses.map(({ code, state, under }) => [code, state, under])).toEqual([["daemon-down", "firing", undefined], ["retry-storm", "unseen", "daemon-down"]]);
    expect(body.allCauses[0]?.evidence.map(({ look }) => look)).toEqual(["seen", "could-not-look"]);
    expect(body.causes.map(({ code }) => code)).toEqual(["daemon-down"]);
    expect(body.hurtWorkloads.map(({ name, until }) => [name, until === undefined])).toEqual([["coredns", true], ["web", false]]);
    expect(body.hurt).toEqual({ workloads: 2, waiting: 1, system: ["coredns"] });
    expect(body.nature).toBe("wedge");
  });

  test("of many nodes has its members and what they share", async () => {
    const body = await detail(3);
    expect(body.memberIncidents.map(({ id, node }) => [id, node])).toEqual([[4, "node-4"]]);
    expect(body.shared?.words).toBe("The sick node has kernel 6.8; of 9 well nodes none has.");
    expect(body.hurtWorkloads.map(({ name }) => name)).toEqual(["coredns", "web"]);
    expect(body.causes[0]?.code).toBe("storm-of-nodes");
    expect(body.allCauses).toMatchObject([{ code: "storm-of-nodes", certainty: "named", state: "firing", evidence: [{ value: 1 }, { value: 0 }, { what: "Sick nodes with kernel 6.8", value: "1 of 1" }, { what: "Well nodes with kernel 6.8", look: "not-seen", value: "0 of 9" }] }]);
  });

  test.each(["7", "6", "999999999"])("that is not there, or only watched (%s), is a 404", async (id) => {
    expect((await get(incident, `/api/v1/incidents/${id}`, { id })).status).toBe(404);
    expect((await post(note, id, { text: "?" })).status).toBe(404);
    expect((await post(acknowledge, id, {})).status).toBe(404);
    expect((await post(title, id, { title: "?" })).status).toBe(404);
  });

  test.each(["0", "-1", "1e3", "1%00", "../1", "x"])("by the number %j is refused", async (id) => {
    expect((await get(incident, "/api/v1/incidents/x", { id })).status).toBe(400);
  });
});

describe("the export of an incident", () => {
  test("is what its schema says, as JSON and as a file", async () => {
    const answer = await get(exported, "/api/v1/incidents/1/export", { id: "1" });
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="sandglass-incident-1.json"');
    const made = ROUTES.incidentExport.answer.strict().parse(await answer.json());
    expect(made.incident.story.map(({ title: told }) => told)).toEqual((await detail(1)).story.map(({ title: told }) => told));
    expect(made.cluster?.name).toBe("test");
  });

  test("keeps text of the cluster and of people as text in Markdown", async () => {
    await post(note, "1", { text: HOSTILE });
    const text = await (await get(exported, "/api/v1/incidents/1/export?format=markdown", { id: "1" })).text();
    expect(text).not.toMatch(/<script>/);
    expect(text).not.toMatch(/(?<!\\)\]\(/);
    expect(text).not.toMatch(/^# not a heading/m);
    for (const part of ["## Story", "## Causes", "## Who was hurt", "## Notes", "coredns", "    - image a"]) expect(text).toContain(part);
    expect(await (await get(exported, "/api/v1/incidents/3/export?format=markdown", { id: "3" })).text()).toContain("## What the sick nodes share");
  });
});

describe("what people say", () => {
  const auditOf = async (): Promise<AuditLog["items"]> => ((await (await get(audit, "/api/v1/audit?limit=100")).json()) as AuditLog).items;

  test("is acknowledged once, noted and titled, each with who and when and in the audit log", async () => {
    const first = ROUTES.acknowledgeIncident.answer.parse(await (await post(acknowledge, "5", {})).json());
    const again = ROUTES.acknowledgeIncident.answer.parse(await (await post(acknowledge, "5", {})).json());
    expect(again).toEqual(first);
    expect(first.by).toBe("tester");
    expect((await post(note, "5", { text: "  The limit is 100m.  " })).status).toBe(200);
    expect((await post(title, "5", { title: "The night of the reboot" })).status).toBe(200);
    const body = await detail(5);
    expect(body).toMatchObject({ title: "The night of the reboot", titled: { by: "tester" }, acknowledged: first.by === "tester" ? { by: "tester", at: first.at } : {}, noteList: [{ by: "tester", text: "The limit is 100m." }] });
    expect(body.story.filter(({ kind }) => kind === "person")).toHaveLength(3);
    const entries = (await auditOf()).filter(({ object }) => object === "incident/5");
    expect(entries.map(({ verb, actor }) => [verb, actor])).toEqual([["incident.title", "tester"], ["incident.note", "tester"], ["incident.acknowledge", "tester"]]);
    expect(entries[1]?.detail).toEqual({ text: "The limit is 100m." });
  });

  test("is kept with everything that a terminal or a text direction would act on as visible signs, in the page and in both exports", async () => {
    expect((await post(note, "2", { text: "a\u0000b\u001b[31m\u202e\u009b2J\nline two" })).status).toBe(200);
    expect((await post(title, "2", { title: "night\u001b]0;x\u0007\nof \u2066 it" })).status).toBe(200);
    const body = await detail(2);
    expect(body.noteList.map(({ text }) => text)).toEqual(["a␀b␛[31m\\u202e\\u009b2J\nline two"]);
    expect(body.title).toBe("night␛]0;x␇ of \\u2066 it");
    for (const format of ["json", "markdown"]) {
      const text = await (await get(exported, `/api/v1/incidents/2/export?format=${format}`, { id: "2" })).text();
      expect([format, text.includes("a␀b␛")]).toEqual([format, true]);
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e\u2066]/);
    }
    expect(JSON.stringify(await auditOf())).not.toMatch(/\\u001b|\\u0000|\u202e|\u2066/);
  });

  test.each([
    ["from another site", { ...origin, origin: "http://evil.example" }, 403],
    ["without an origin", { "content-type": "application/json" }, 403],
    ["as a form", { ...origin, "content-type": "application/x-www-form-urlencoded" }, 415],
  ])("%s is refused and writes nothing", async (_, headers, code) => {
    const before = (await auditOf()).length;
    for (const [handler, body] of [[acknowledge, {}], [note, { text: "x" }], [title, { title: "x" }]] as const) expect((await post(handler, "1", body, headers)).status).toBe(code);
    expect((await auditOf()).length).toBe(before);
  });

  test.each([
    ["an empty note", note, { text: "   " }], ["a note over the bound", note, { text: "x".repeat(MAX_NOTE_CHARS + 1) }], ["a note with another field", note, { text: "x", by: "somebody else" }], ["no note", note, {}],
    ["an empty title", title, { title: "" }], ["a note whose visible signs are over the bound", note, { text: "\u202e".repeat(MAX_NOTE_CHARS / 2) }], ["a title over the bound", title, { title: "x".repeat(MAX_TITLE_CHARS + 1) }], ["an acknowledgement for somebody else", acknowledge, { by: "somebody else" }],
  ])("%s is refused", async (_, handler, body) => {
    expect((await post(handler, "1", body)).status).toBe(400);
  });
});
