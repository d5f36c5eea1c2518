import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { POST as explain } from "@/app/api/v1/explain/route";
import { ExplainedTextSchema } from "../contract/explain";
import { ProblemSchema } from "../contract/schemas";
import { MAX_EXPLAIN_BODY_BYTES } from "./routes";
import { localRequest, startTestWeb, type TestWeb } from "./testing/web";

let web: TestWeb;
beforeAll(() => {
  web = startTestWeb();
});
afterAll(() => web.close());

const post = (body: string, headers: Record<string, string> = {}) => explain(localRequest("/api/v1/explain", { method: "POST", body, headers: { "content-type": "application/json", ...headers } }), { params: Promise.resolve({}) });
const ask = async (text: string) => {
  const answer = await post(JSON.stringify({ text }));
  expect(answer.status).toBe(200);
  return ExplainedTextSchema.strict().parse(await answer.json());
};
const MISSING = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "5c": plugin type="bridge" failed (add): failed to find plugin "bridge" in path [/opt/cni/bin]';

describe("POST /api/v1/explain", () => {
  test("answers with the cause, what says so, what to look at and what to do", async () => {
    const body = await ask(MISSING);
    expect(body).toMatchObject({ cause: "plugin-binary-missing", confidence: "high", kind: "text", messages: [], leftOut: 0, docs: "docs/use/causes/plugin-binary-missing.md", page: "/causes/plugin-binary-missing", facts: { pluginType: "bridge", binDirs: ["/opt/cni/bin"] } });
    expect(body.because[0]?.text).toBe('failed to find plugin "bridge" in path [/opt/cni/bin]');
    expect(body.lookAt.length).toBeGreaterThan(0);
    expect(body.fix.length).toBeGreaterThan(0);
  });

  test("says undecided where the text decides nothing", async () => {
    expect(await ask("hello world")).toMatchObject({ cause: "unknown", title: "Undecided", because: [], fix: [] });
  });

  test("takes a list of events as kubectl prints it, each thing that is said once, with counts and whom it is about", async () => {
    const event = (pod: string, message: string, count: number, reason = "FailedCreatePodSandBox") => ({ kind: "Event", reason, message, count, involvedObject: { kind: "Pod", namespace: "default", name: pod } });
    const body = await ask(
      JSON.stringify({
        kind: "List",
        items: [
          event("a", MISSING, 3),
          event("b", MISSING.replace('"5c"', '"6d"'), 4),
          event("c", "failed to allocate for range 0: no IP addresses available in range set: 10.0.0.1-10.0.0.2", 2),
          { kind: "Event", type: "Warning", reason: "SandboxChanged", note: "Pod sandbox changed, it will be killed and re-created.", series: { count: 9 }, regarding: { name: "a", namespace: "default" } },
          { kind: "Event", type: "Normal", reason: "Started", message: "Started container main", count: 1 },
        ],
      }),
    );
    expect(body).toMatchObject({ kind: "list", cause: "plugin-binary-missing" });
    expect(body.messages.map(({ cause, texts, count, about, reasons }) => ({ cause, texts, count, about, reasons }))).toEqual([
      { cause: "plugin-binary-missing", texts: 2, count: 7, about: ["default/a", "default/b"], reasons: ["FailedCreatePodSandBox"] },
      { cause: "ipam-exhausted", texts: 1, count: 2, about: ["default/c"], reasons: ["FailedCreatePodSandBox"] },
      { cause: "unknown", texts: 1, count: 9, about: ["default/a"], reasons: ["SandboxChanged"] },
    ]);
  });

  test("takes pods and nodes as kubectl prints them: conditions that are not good, and why containers wait or ended", async () => {
    const body = await ask(
      JSON.stringify({
        kind: "PodList",
        items: [
          { metadata: { namespace: "kube-system", name: "kube-multus-ds-x" }, status: { conditions: [{ type: "Ready", status: "True", message: "x509: fine" }], containerStatuses: [{ name: "kube-multus", state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: { reason: "OOMKilled", exitCode: 137 } } }] } },
          { metadata: { name: "node-1" }, status: { conditions: [{ type: "Ready", status: "False", reason: "KubeletNotReady", message: "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized" }, { type: "NetworkUnavailable", status: "False", message: "no space left on device" }] } },
        ],
      }),
    );
    expect(body.messages.map(({ cause, about }) => [cause, about]).sort()).toEqual([
      ["cni-config-missing", ["node-1"]],
      ["daemon-down", ["kube-system/kube-multus-ds-x"]],
      ["daemon-oom", ["kube-system/kube-multus-ds-x"]],
    ]);
  });

  test("tells of a log each thing that its records say", async () => {
    const body = await ask(["E1130 14:00:01.000000       1 a.go:1] failed to find plugin \"macvlan\" in path [/opt/cni/bin]", "E1130 14:00:02.000000       1 a.go:1] x509: certificate has expired", "I1130 14:00:03.000000       1 a.go:1] done"].join("\n"));
    expect(body.kind).toBe("log");
    expect(body.messages.map(({ cause }) => cause).sort()).toEqual(["auth-or-rbac", "plugin-binary-missing"]);
  });

  test("reads an empty list, half a list and another JSON as what they are", async () => {
    expect(await ask('{"kind":"List","items":[]}')).toMatchObject({ kind: "list", cause: "unknown", messages: [] });
    expect(await ask(`{"kind":"List","items":[{"message":"${MISSING.replaceAll('"', '\\"')}"`)).toMatchObject({ kind: "text", cause: "plugin-binary-missing" });
    expect(await ask(JSON.stringify({ level: "error", msg: "no space left on device", kind: 3 }))).toMatchObject({ kind: "text", cause: "node-resource-exhausted" });
  });
});

describe("what is refused", () => {
  test.each([
    ["a text that is too long", JSON.stringify({ text: "x".repeat(1_048_577) }), 400, "body.text", "has 1048577 characters: it may have at most 1048576"],
    ["an empty text", JSON.stringify({ text: "  \n" }), 400, "body.text", "is empty"],
    ["no text", "{}", 400, "body.text", "expected string"],
    ["a number", JSON.stringify({ text: 3 }), 400, "body.text", "expected string"],
  ])("%s, with the field and the limit", async (_what, body, status, field, message) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    const problem = ProblemSchema.parse(await answer.json());
    expect(problem.errors?.[0]?.field).toBe(field);
    expect(problem.errors?.[0]?.message).toContain(message);
  });

  test("a body over the bound, with the bound", async () => {
    const answer = await post(JSON.stringify({ text: "x".repeat(MAX_EXPLAIN_BODY_BYTES) }));
    expect(answer.status).toBe(413);
    expect(ProblemSchema.parse(await answer.json()).detail).toContain(String(MAX_EXPLAIN_BODY_BYTES));
  });

  test("a page of another site", async () => {
    expect((await post(JSON.stringify({ text: "x" }), { origin: "https://evil.example" })).status).toBe(403);
  });

  test("a million levels of JSON cost no more than being read as a text", async () => {
    const answer = await post(JSON.stringify({ text: `{"kind":${"[".repeat(1_000_000)}` }));
    expect(answer.status).toBe(200);
  });
});
