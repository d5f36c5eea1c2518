import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scaledClock, systemClock } from "../clock";
import { createLog } from "../log";
import { ensureAgentAuthority } from "../sources/agent/authority";
import { startAgentListener } from "../sources/agent/listener";
import { agentFolder, issueAgentToken } from "../sources/agent/tokens";
import { agentsFromFiles } from "./agent-files";
import { parseSimulateOptions, SimulateUsageError } from "./options";
import { runSimulate } from "./run";
import { planScenario } from "./scenarios";

const log = createLog("silent", "test");
/** A second of ours is the agents' whole period. */
const SPEED = 20;
let data: string;
beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), "sandglass-agent-files-"));
});
afterAll(() => rm(data, { recursive: true, force: true }));

describe("sandglass simulate with agents", () => {
  it("pushes the reports of the nodes that have a token, and of no other, to another process's listener", async () => {
    const [node = "", other = ""] = planScenario("healthy", { nodes: 3, seed: "1", nowMs: 0 }).cluster.nodes.map(({ name }) => name);
    for (const name of [node, other]) await issueAgentToken(data, name);
    const { authority, caFile } = await ensureAgentAuthority(data);
    const reports = new Map<string, number>();
    const { promise: enough, resolve } = Promise.withResolvers<undefined>();
    const listener = await startAgentListener({
      host: "127.0.0.1",
      port: 0,
      authority,
      tokens: agentFolder(data),
      clock: scaledClock(systemClock.now(), SPEED),
      log,
      observe: (o) => {
        if (o.source !== "agent") return;
        reports.set(o.node, (reports.get(o.node) ?? 0) + 1);
        if (reports.size === 2 && [...reports.values()].every((n) => n >= 2)) resolve(undefined);
      },
    });
    const ending = new AbortController();
    const options = parseSimulateOptions(["--nodes", "3", "--scenario", "healthy", "--speed", String(SPEED), "--agents-url", `https://127.0.0.1:${listener.port}`, "--agents-ca", caFile, "--agents-tokens", agentFolder(data)]);
    if (options === "help") throw new Error("no help was asked for");
    const running = runSimulate(options, { stdout: new PassThrough().resume(), signal: ending.signal, logLevel: "silent" });
    await Promise.race([enough, running]);
    ending.abort();
    await running;
    await listener.stop();
    expect([...reports.keys()].sort()).toEqual([node, other].sort());
    expect(Object.values(listener.status().dropped).every((n) => n === 0)).toBe(true);
  });

  it("has no agents where none are asked for", async () => {
    expect(await agentsFromFiles({}, ["a"])).toBeUndefined();
  });

  it.each([
    ["an authority that is not there", "missing.crt", "", /--agents-ca is ".*missing\.crt": there is no such file/],
    ["a folder without a token for any node", "", "elsewhere", /--agents-tokens is ".*elsewhere": it has no token for any of the 1 nodes/],
  ])("refuses %s in one sentence", async (_, ca, tokens, sentence) => {
    const { caFile } = await ensureAgentAuthority(data);
    await expect(agentsFromFiles({ url: "https://127.0.0.1:1", caFile: ca === "" ? caFile : path.join(data, ca), tokens: path.join(data, tokens) }, ["no-such-node"])).rejects.toThrow(sentence);
  });

  it.each([
    [["--agents-url", "http://127.0.0.1:1", "--agents-ca", "f", "--agents-tokens", "d"], '--agents-url must be an https:// address, not "http://127.0.0.1:1"'],
    [["--agents-url", "https://127.0.0.1:1"], "--agents-ca must be given too, as --agents-url, --agents-ca, --agents-tokens go together"],
  ])("refuses %j by option, value and limit", (args, sentence) => {
    expect(() => parseSimulateOptions(args)).toThrow(new SimulateUsageError(sentence));
  });
});
