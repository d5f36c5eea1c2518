import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NodeExportSchema } from "../contract/schemas";
import { SIGNAL_IDS } from "../domain/signals";
import { nodeName, startTestWeb, testView, type TestWeb } from "../http/testing/web";
import type { CommandIo } from "../main";
import { exportCommand } from "./export";

const MINUTE_MS = 60_000;

let web: TestWeb;
let window: readonly string[];
const iso = (ms: number): string => new Date(ms).toISOString();
/** Minutes before the newest word in the file. */
const before = (minutes: number): number => web.nowMs - minutes * MINUTE_MS;

beforeAll(() => {
  web = startTestWeb();
  window = ["--from", iso(before(30)), "--to", iso(web.nowMs)];
  web.write({
    views: [testView("node-1", web.nowMs)],
    answers: [{ node: "node-1", atMs: before(20), state: "no", atRisk: false, idle: false, summary: "0 fresh sandboxes | in 10 min." }],
    samples: [3, 9, 4].map((value, i) => ({ node: nodeName("node-1"), signal: "pods.waiting", instance: "", atMs: web.nowMs - 45_000 + i * 15_000, value })),
    events: [{ uid: "e1", namespace: "default", reason: "FailedCreatePodSandBox", type: "Warning", message: 'failed to find plugin "bridge"', count: 2, firstMs: before(10), lastMs: before(5), about: { kind: "Pod", namespace: "default", name: "probe-1", uid: "p1" }, host: "node-1", node: "node-1" }],
    sources: [{ node: "node-1", source: "kubelet", atMs: before(15), fresh: false, reason: "connection <refused>" }, { node: "node-1", source: "kubelet", atMs: before(12), fresh: true, reason: "" }],
  });
});
afterAll(() => web.close());

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io: CommandIo = { env: { SANDGLASS_DATA: path.dirname(web.file) }, stdin: process.stdin, stdout, stderr, root: ".", signal: new AbortController().signal };
  const code = await exportCommand(args, io);
  stdout.end();
  stderr.end();
  const textOf = async (stream: PassThrough): Promise<string> => Buffer.concat(await stream.toArray()).toString("utf8");
  return { code, out: await textOf(stdout), err: await textOf(stderr) };
}

/** What stands under a heading, up to the next. */
const section = (markdown: string, heading: string): string => new RegExp(`^## ${heading}\\n\\n([\\s\\S]*?)(?=\\n## |$(?![\\s\\S]))`, "m").exec(markdown)?.[1] ?? `no section "${heading}"`;

describe("sandglass export", () => {
  test("writes the document of the API as JSON: window, cluster, answer, points, gaps, events and definitions", async () => {
    const { code, out, err } = await run("node-1", ...window);
    expect([code, err]).toEqual([0, ""]);
    const made = NodeExportSchema.strict().parse(JSON.parse(out));
    expect(made).toMatchObject({ format: "sandglass/node", version: 1, window: { from: iso(before(30)), to: iso(web.nowMs) }, cluster: { uid: "uid-1", name: "test" }, node: { name: "node-1", answer: { state: "no" } } });
    expect(made.timeline.series.find(({ signal }) => signal === "pods.waiting")?.last).toEqual([3, 9, 4]);
    expect(made.timeline.gaps).toContainEqual(expect.objectContaining({ source: "kubelet", to: iso(before(12)), reason: "connection <refused>" }));
    expect(made.events.items.map(({ message }) => message)).toEqual(['failed to find plugin "bridge"']);
    expect(made.definitions.map(({ signal }) => signal)).toEqual([...SIGNAL_IDS]);
  });

  test("writes Markdown with window, cluster, proof, answers, extremes, gaps, what could not be seen, events and definitions", async () => {
    const { code, out } = await run("node-1", "--format", "markdown", ...window);
    expect(code).toBe(0);
    expect(out).toMatch(/^# node\\-1: No\n/);
    expect(out).toContain(`- Window: ${iso(before(30))} to ${iso(web.nowMs)}\n`);
    expect(out).toContain("- Cluster: test, v1\\.37\\.2\n");
    expect(section(out, "Proof")).toContain("| Socket | could not look: no agent |");
    expect(section(out, "Answers in the window")).toContain("| No | 0 fresh sandboxes \\| in 10 min\\. |");
    expect(section(out, "Signals in the window")).toMatch(/^\| pods\\\.waiting \|.*\| 3 \| 9 \| 4 \| 3 \|$/m);
    expect(section(out, "Gaps")).toMatch(new RegExp(`^\\| kubelet \\| \\S+ \\| ${iso(before(12))} \\| connection &lt;refused&gt; \\|$`, "m"));
    expect(section(out, "What could not be seen")).toContain("| Agent | no agent reports from this node |");
    expect(section(out, "Events")).toContain('| 2 | Warning | FailedCreatePodSandBox | Pod default/probe\\-1 | failed to find plugin "bridge" |');
    const definitions = section(out, "Definitions");
    for (const id of SIGNAL_IDS) expect(definitions).toContain(`| ${id.replaceAll(/[._]/g, "\\$&")} |`);
  });

  test("without a range gives the newest hour that the file knows of", async () => {
    const { out } = await run("node-1", "--file", web.file);
    expect(NodeExportSchema.parse(JSON.parse(out)).window).toEqual({ from: iso(before(60)), to: iso(web.nowMs) });
  });

  test("says that a node is not known, and ends with a code", async () => {
    expect(await run("node-9")).toEqual({ code: 1, out: "", err: 'sandglass export: No node "node-9" is known.\n' });
  });

  test.each([
    ["no node", [], "Name one node"],
    ["two nodes", ["a", "b"], "Name one node"],
    ["what is no node's name", ["../api"], 'Name one node: "../api" is not a node name.'],
    ["another format", ["node-1", "--format", "pdf"], '--format is "pdf": it must be json or markdown.'],
    ["what is no time", ["node-1", "--from", "yesterday"], "--from: "],
    ["a folder that is not there", ["node-1", "--data", "/nowhere/at/all"], "The data folder /nowhere/at/all cannot be read"],
    ["an unknown option", ["node-1", "--nope"], "Try --help"],
  ])("refuses %s with one sentence", async (_what, args, message) => {
    await expect(run(...args)).rejects.toThrow(message);
  });
});
