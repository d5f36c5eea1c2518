import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GET as audit } from "@/app/api/v1/audit/route";
import { GET as exceptions, POST as accept } from "@/app/api/v1/causes/[code]/exceptions/route";
import { POST as withdraw } from "@/app/api/v1/causes/[code]/exceptions/withdraw/route";
import { GET as node } from "@/app/api/v1/nodes/[name]/route";
import { MAX_REASON_CHARS, type CauseExceptions } from "../contract/causes";
import type { AuditLog, NodeDetail } from "../contract/schemas";
import { CAUSES } from "../domain/causes/registry";
import type { RouteHandler } from "./handler";
import { ROUTES } from "./routes";
import { localRequest, startTestWeb, testView, type TestWeb } from "./testing/web";

const CODE = "oom-victim-candidate";
const SUBJECT = "kube-system/csi-node";
const REASON = "Its controller must not be killed at a limit <script>alert(1)</script>";
const headers = { "content-type": "application/json", origin: "http://localhost:7400" };

let web: TestWeb;
beforeAll(() => {
  web = startTestWeb();
  web.write({ views: [{ ...testView("node-1", web.nowMs), acceptedCauses: [{ code: CODE, title: "A title", subjects: [SUBJECT] }] }] });
});
afterAll(() => web.close());

const call = (handler: RouteHandler, url: string, params: Record<string, string>, init: RequestInit = {}) => handler(localRequest(url, init), { params: Promise.resolve(params) });
const post = (handler: RouteHandler, body: unknown, code = CODE, sent: Record<string, string> = headers) => call(handler, `/api/v1/causes/${code}/exceptions`, { code }, { method: "POST", headers: sent, body: JSON.stringify(body) });
const listed = async (): Promise<CauseExceptions["items"]> => ROUTES.exceptions.answer.strict().parse(await (await call(exceptions, `/api/v1/causes/${CODE}/exceptions`, { code: CODE })).json()).items;
const audited = async (): Promise<AuditLog["items"]> => ((await (await call(audit, "/api/v1/audit?limit=100", {})).json()) as AuditLog).items;
const onNode = async (): Promise<NodeDetail["diagnosis"]["accepted"]> => ROUTES.node.answer.parse(await (await call(node, "/api/v1/nodes/node-1", { name: "node-1" })).json()).diagnosis.accepted;

describe("an exception", () => {
  test("is accepted and withdrawn with who, when and why, is told on the node that it concerns, and both are in the audit log", async () => {
    const made = ROUTES.acceptException.answer.strict().parse(await (await post(accept, { subject: SUBJECT, reason: `  ${REASON} ` })).json());
    expect(made).toMatchObject({ code: CODE, subject: SUBJECT, reason: REASON, by: "tester" });
    expect(await listed()).toEqual([made]);
    expect(web.ingest.exceptions()).toEqual([{ code: CODE, subject: SUBJECT, reason: REASON, by: "tester", atMs: Date.parse(made.at) }]);
    expect(await onNode()).toEqual([{ ...made, title: "A title" }]);
    expect(await (await post(withdraw, { subject: SUBJECT })).json()).toEqual({ code: CODE, subject: SUBJECT });
    expect([await listed(), await onNode(), web.ingest.exceptions()]).toEqual([[], [], []]);
    expect((await audited()).map(({ verb, object, actor, detail }) => [verb, object, actor, detail])).toEqual([
      ["cause.withdraw", `cause/${CODE} ${SUBJECT}`, "tester", { subject: SUBJECT }],
      ["cause.accept", `cause/${CODE} ${SUBJECT}`, "tester", { subject: SUBJECT, reason: REASON }],
    ]);
  });

  test("that is accepted again gets the new reason and stays one", async () => {
    await post(accept, { subject: SUBJECT, reason: "first" });
    await post(accept, { subject: SUBJECT, reason: "second" });
    expect((await listed()).map(({ reason }) => reason)).toEqual(["second"]);
    await post(withdraw, { subject: SUBJECT });
  });

  test("that is not there cannot be withdrawn", async () => {
    expect((await post(withdraw, { subject: "kube-system/none" })).status).toBe(404);
  });

  test.each(CAUSES.filter(({ accepts }) => accepts === undefined).map(({ code }) => code))("of %s is refused: nothing of it may be accepted", async (code) => {
    expect((await post(accept, { subject: SUBJECT, reason: "x" }, code)).status).toBe(400);
  });

  test("of a cause that does not exist is a 404", async () => {
    expect((await post(accept, { subject: SUBJECT, reason: "x" }, "no-such-cause")).status).toBe(404);
    expect((await post(withdraw, { subject: SUBJECT }, "no-such-cause")).status).toBe(404);
    expect((await call(exceptions, "/api/v1/causes/x/exceptions", { code: "x" })).status).toBe(404);
  });

  test.each([
    ["from another site", { ...headers, origin: "http://evil.example" }, 403],
    ["without an origin", { "content-type": "application/json" }, 403],
    ["as a form", { ...headers, "content-type": "application/x-www-form-urlencoded" }, 415],
  ])("%s is refused and writes nothing", async (_, sent, code) => {
    const before = (await audited()).length;
    expect((await post(accept, { subject: SUBJECT, reason: "x" }, CODE, sent)).status).toBe(code);
    expect((await post(withdraw, { subject: SUBJECT }, CODE, sent)).status).toBe(code);
    expect([await listed(), (await audited()).length]).toEqual([[], before]);
  });

  test.each([
    ["without a reason", { subject: SUBJECT }], ["with an empty reason", { subject: SUBJECT, reason: "  " }], ["with a reason over the bound", { subject: SUBJECT, reason: "x".repeat(MAX_REASON_CHARS + 1) }],
    ["without a subject", { reason: "x" }], ["of a subject without a namespace", { subject: "csi-node", reason: "x" }], ["for somebody else", { subject: SUBJECT, reason: "x", by: "somebody else" }],
  ])("%s is refused", async (_, body) => {
    expect((await post(accept, body)).status).toBe(400);
    expect(await listed()).toEqual([]);
  });
});
