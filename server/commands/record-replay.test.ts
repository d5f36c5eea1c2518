import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readAll, tempFolder } from "../collector/testing/recordings";
import { ConfigError } from "../config";
import type { CommandIo } from "../main";
import { record } from "./record";
import { recordOptions } from "./record-options";
import { replay, replayOptions } from "./replay";

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

function io(over: Partial<CommandIo> = {}): CommandIo & { readonly out: () => string; readonly err: () => string } {
  const text = { out: "", err: "" };
  const stream = (key: "out" | "err"): PassThrough => new PassThrough().on("data", (chunk: Buffer) => (text[key] += chunk.toString("utf8")));
  return { env: { HOME: folder.path }, stdout: stream("out"), stderr: stream("err"), stdin: process.stdin, root: path.resolve(import.meta.dirname, "../.."), signal: new AbortController().signal, ...over, out: () => text.out, err: () => text.err };
}

const SIMULATED = ["--simulate", "--scenario", "missing-binary", "--nodes", "2", "--speed", "30", "--log-level", "silent"];

interface ReplayJson {
  readonly recording: { readonly ended: string; readonly observations: number; readonly badLines: number; readonly cluster: { readonly simulated: boolean } };
  readonly nodes: readonly { readonly name: string; readonly answer: { readonly state: string }; readonly causes: readonly { readonly code: string }[] }[];
  readonly story: readonly { readonly at: string; readonly kind: string }[];
  readonly incidents: readonly { readonly state: string; readonly causes: readonly { readonly code: string }[] }[];
}

describe("sandglass record and replay", () => {
  it("record a simulated cluster over its sockets, its past with it, and come to what the scenario is", async () => {
    const file = folder.file("r.ndjson");
    const recording = io();
    expect(await record(["--out", file, "--minutes", "1", "--past-minutes", "40", ...SIMULATED], recording)).toBe(0);
    expect(recording.out()).toContain("The time is over");
    expect(readdirSync(folder.path)).toEqual(["r.ndjson"]);

    const json = io();
    expect(await replay([file, "--output", "json"], json)).toBe(0);
    const told = JSON.parse(json.out()) as ReplayJson;
    expect(json.err()).toBe("");
    expect(told.recording).toMatchObject({ ended: "time", badLines: 0, cluster: { simulated: true } });
    const sick = told.nodes.filter(({ answer }) => answer.state === "no");
    expect(sick).toHaveLength(1);
    expect(sick[0]?.causes.map(({ code }) => code)).toContain("plugin-binary-missing");
    expect(told.incidents.filter(({ state }) => state === "open").flatMap(({ causes }) => causes.map(({ code }) => code))).toContain("plugin-binary-missing");
    expect(told.story.filter(({ kind }) => kind === "answer").length).toBeGreaterThanOrEqual(3);

    const text = io();
    expect(await replay([file], text)).toBe(0);
    expect(text.out()).toMatch(/^simulated: missing-binary \(simulated\), /);
    expect(text.out()).toContain("+ plugin-binary-missing");
    expect(text.out()).toContain("At the end: 1 yes, 1 no, 0 unknown.");
  }, 60_000);

  it("end where somebody ends them, and keep what there was", async () => {
    const file = folder.file("r.ndjson");
    const stop = new AbortController();
    const recording = io({ signal: stop.signal });
    const running = record(["--out", file, "--minutes", "60", ...SIMULATED], recording);
    await expect.poll(() => existsSync(file) && statSync(file).size > 100_000, { timeout: 30_000 }).toBe(true);
    stop.abort();
    expect(await running).toBe(0);
    expect((await readAll(file)).found).toMatchObject({ badLines: 0, end: "stopped" });
  }, 60_000);

  it("say of a recording that broke off that it did, and keep the data file where one is asked for", async () => {
    const file = folder.file("r.ndjson");
    await record(["--out", file, "--minutes", "1", ...SIMULATED], io());
    truncateSync(file, statSync(file).size - 100);
    const kept = io();
    expect(await replay([file, "--data", folder.file("kept")], kept)).toBe(0);
    expect(kept.err()).toContain("WARNING: the recording broke off");
    const [dataFile] = readdirSync(folder.file("kept")).filter((name) => name.endsWith(".db"));
    expect(dataFile).toMatch(/^simulated-replayed-/);
    await expect(replay([file, "--data", folder.file("kept")], io())).rejects.toThrow(/was replayed into .* before/);
  }, 60_000);

  it("need a cluster to record, and a recording to replay", async () => {
    await expect(record(["--out", folder.file("r")], io())).rejects.toThrow(/No cluster is configured/);
    expect(readdirSync(folder.path)).toEqual([]);
    await expect(replay([folder.file("absent")], io())).rejects.toThrow(/cannot be read \(ENOENT\)/);
  });

  it("print nothing that a terminal would act on, whatever a recording holds", async () => {
    const file = folder.file("r.ndjson");
    await record(["--out", file, "--minutes", "1", ...SIMULATED], io());
    const evil = folder.file("evil.ndjson");
    writeFileSync(evil, readFileSync(file, "utf8").replaceAll("simulated: missing-binary", "\\u001b[2J\\u0007evil").replaceAll("multus-shim", "\\u001b]0;x\\u0007shim"));
    const text = io();
    await replay([evil], text);
    expect(text.out()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    expect(text.out()).toContain("evil");
  }, 60_000);
});

describe("options", () => {
  const refused = (args: readonly string[]): string => {
    try {
      recordOptions(args, {});
      return "";
    } catch (error) {
      return error instanceof ConfigError ? error.message : "another error";
    }
  };

  it("of record: its own, those of serve that reach a cluster, and no other", () => {
    expect(recordOptions(["--out", "f", "--minutes=5", "--kubeconfig", "k", "--cni-daemon", "a/b", "--cni-daemon=c/d", "--agent-port", "7443"], {})).toMatchObject({ out: "f", minutes: 5, maxMib: 512, pastMinutes: 0, serve: { kubeconfig: "k", cniDaemon: ["a/b", "c/d"], agentPort: 7443 } });
    expect(refused([])).toBe("Name the file to record to with --out FILE.");
    expect(refused(["--out", "f", "--minutes", "0"])).toMatch(/--minutes is "0": it must be a whole number from 1 to 1440/);
    expect(refused(["--out", "f", "--max-mib", "x"])).toMatch(/--max-mib is "x"/);
    expect(refused(["--out", "f", "--port", "1"])).toMatch(/--port means nothing for a recording/);
    expect(refused(["--out", "f", "--allow-actions"])).toMatch(/--allow-actions means nothing/);
    expect(refused(["--out", "f", "--past-minutes", "5"])).toMatch(/nobody can tell the past of a real one/);
    expect(refused(["--out", "f", "--nonsense"])).toMatch(/nonsense/);
  });

  it("of replay: one recording, and with what it is judged", () => {
    expect(replayOptions(["f", "--stuck-after-seconds", "120", "--cni-daemon", "a/b"], {})).toEqual({ recording: "f", output: "text", data: undefined, settings: { stuckAfterSeconds: 120, cniDaemons: ["a/b"] } });
    for (const [args, words] of [[[], /Name the recording/], [["a", "b"], /one too many/], [["a", "--output", "yaml"], /must be text or json/], [["a", "--window-seconds", "1"], /--window-seconds is "1"/], [["a", "--x"], /--x/]] as const) expect(() => replayOptions(args, {})).toThrow(words);
  });
});
