import { afterAll, beforeAll, expect, test } from "vitest";
import { GET as audit } from "@/app/api/v1/audit/route";
import { POST as note } from "@/app/api/v1/incidents/[id]/notes/route";
import type { AuditLog, Problem } from "../contract/schemas";
import { holdWriteLock } from "../store/testing/hold";
import { incidentBatch, nodeIncident } from "../store/testing/incidents";
import { localRequest, startTestWeb, type TestWeb } from "./testing/web";

const GIVING_UP_TIMEOUT_MS = 30_000;

let web: TestWeb;
beforeAll(() => {
  web = startTestWeb();
  web.write({ incidents: incidentBatch({ saved: [nodeIncident(1, "node-1", {})], entries: [], kept: [] }) });
});
afterAll(() => web.close());

const write = (text: string): Promise<Response> =>
  note(localRequest("/api/v1/incidents/1/notes", { method: "POST", body: JSON.stringify({ text }), headers: { origin: "http://localhost:7400", "content-type": "application/json" } }), { params: Promise.resolve({ id: "1" }) });

test("while the data file cannot be written, a write is told so and when to try again; then it goes through, once", { timeout: GIVING_UP_TIMEOUT_MS }, async () => {
  const refused = await write("first").finally(holdWriteLock(web.file));
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const problem = (await refused.json()) as Problem;
  expect(problem).toMatchObject({ type: "urn:sandglass:problem:unavailable", code: "unavailable", status: 503 });
  expect(problem.detail).toMatch(/could not be written down.*held by another process/);

  expect((await write("second")).status).toBe(200);
  const { items } = (await (await audit(localRequest("/api/v1/audit"), { params: Promise.resolve({}) })).json()) as AuditLog;
  expect(items.filter(({ verb }) => verb.includes("note"))).toHaveLength(1);
});
