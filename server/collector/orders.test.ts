import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { createDesk } from "../agent/actions/desk";
import { lineOfFiles } from "../agent/line";
import { agentOptions } from "../agent/options";
import { runAgent } from "../agent/run";
import { recordedRuntime } from "../agent/testing/recorded-runtime";
import { systemClock } from "../clock";
import { ORDER_VALID_MS, TAKE_WITHIN_MS, type WorkOrder } from "../domain/actions/work-order";
import { createLog } from "../log";
import { ensureAgentAuthority, issueListenerCertificate } from "../sources/agent/authority";
import { startAgentListener, type AgentListener } from "../sources/agent/listener";
import { signed } from "../sources/agent/work";
import { agentFolder, issueAgentToken } from "../sources/agent/tokens";
import { openIngest } from "../store/ingest";
import { openState } from "../store/state";
import type { State, StoredWork } from "../store/state-types";
import { entry, permit, run as newRun } from "../store/testing/actions";
import { writeBesideStore } from "../store/testing/file-itself";
import { tempStore } from "../store/testing/temp-store";
import type { Ingest } from "../store/types";
import { openWorkDesk, type RunningDesk } from "./work-desk";

/** An order from the store over a real TLS connection to a real agent, whose node is a folder, and back to the store. */
const log = createLog("silent", "test");
const RESULTS = "/var/lib/cni/results";
const BROKEN = `${RESULTS}/cbr0-broken-eth0`;
const MINUTES_AGO = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
const DEADLINE = { timeout: 20_000, interval: 100 };

let root: string;
let dataDir: string;
let stateDir: string;
let store: ReturnType<typeof tempStore>;
let state: State;
let ingest: Ingest;
let desk: RunningDesk;
let listener: AgentListener;
let runtime: { close(): void };
let agents: { readonly stop: AbortController; readonly done: Promise<number> }[];
let reported: number;
let askings: string[];

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sg-"));
  stateDir = await mkdtemp(path.join(tmpdir(), "sg-state-"));
  dataDir = await mkdtemp(path.join(tmpdir(), "sg-data-"));
  for (const dir of ["run/containerd", `.${RESULTS}`, "etc/cni/net.d"]) await mkdir(path.join(root, dir), { recursive: true });
  runtime = await recordedRuntime(path.join(root, "run/containerd/containerd.sock"));
  await put(BROKEN, "", 5);
  await put(`${RESULTS}/cbr0-whole-eth0`, '{"kind":"cniCacheV1"}', 5);
  for (const node of ["node-1", "node-2"]) await issueAgentToken(dataDir, node);
  store = tempStore();
  state = openState({ file: store.file });
  ingest = openIngest({ file: store.file, nowMs: Date.now() });
  agents = [];
  reported = 0;
  askings = [];
  await serve();
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => end(agent)));
  await stopServing();
  runtime.close();
  ingest.close();
  await state.close();
  store.remove();
  for (const dir of [root, stateDir, dataDir]) await rm(dir, { recursive: true, force: true });
});

async function serve(port = 0): Promise<void> {
  const { authority } = await ensureAgentAuthority(dataDir);
  const opened = openWorkDesk({ work: ingest.work, pods: () => Promise.resolve(undefined), clock: systemClock, log });
  desk = {
    ...opened,
    ask: (node, held, gone) => {
      askings.push(held ? "held" : "at once");
      return opened.ask(node, held, gone);
    },
  };
  listener = await startAgentListener({ host: "127.0.0.1", port, authority, tokens: agentFolder(dataDir), observe: () => void (reported += 1), work: desk, clock: systemClock, log });
}
async function stopServing(): Promise<void> {
  await listener.stop();
  desk.stop();
}
async function put(where: string, text: string, minutes: number): Promise<void> {
  await writeFile(path.join(root, where), text);
  await utimes(path.join(root, where), MINUTES_AGO(minutes), MINUTES_AGO(minutes));
}
function startAgent(over: { readonly node?: string; readonly actions?: string } = {}): (typeof agents)[number] {
  const { node = "node-1", actions = "remove-broken-cache-entry" } = over;
  const folder = agentFolder(dataDir);
  const options = agentOptions(["--push", `https://127.0.0.1:${String(listener.port)}`, "--node", node, "--period", "1s", "--token-file", path.join(folder, `${node}.token`), "--ca-file", path.join(folder, "ca.crt"), "--host-root", root, "--enable-actions", actions, "--state-dir", stateDir]);
  if (!options.ok) throw new Error(options.problems.join());
  const stop = new AbortController();
  const agent = { stop, done: runAgent(options.value, { clock: systemClock, log, stdout: { write: () => undefined }, signal: stop.signal, random: () => 0 }) };
  agents.push(agent);
  return agent;
}
async function end(agent: (typeof agents)[number]): Promise<void> {
  agent.stop.abort();
  await agent.done;
}

const order = (over: Partial<WorkOrder> = {}): WorkOrder => {
  const issuedMs = over.issuedMs ?? Date.now();
  return { id: randomUUID(), node: "node-1", action: "remove-broken-cache-entry", dry: false, planVersion: "v1", requestedBy: "anna", issuedMs, expiresMs: issuedMs + ORDER_VALID_MS, params: {}, objects: [BROKEN], ...over };
};
/** As the service does it: the run and its order in one transaction. */
async function ask(wanted: WorkOrder): Promise<WorkOrder> {
  const id = `request-${wanted.id.slice(0, 8)}`;
  if (wanted.dry) await state.askDry(permit, entry(id), wanted);
  else await state.startRun(permit, entry(id), { ...newRun(id), order: wanted });
  return wanted;
}
async function endOf({ id }: WorkOrder): Promise<StoredWork> {
  await expect.poll(async () => (await state.work({ id }))?.state, DEADLINE).toBe("ended");
  const work = await state.work({ id });
  if (work === undefined) throw new Error("no such order");
  return work;
}
async function heard(): Promise<void> {
  await expect.poll(() => reported, DEADLINE).toBeGreaterThan(0);
}
/** Two whole periods later: what the agent asks for, it has asked for and been answered. */
async function heardAgain(): Promise<void> {
  const before = reported;
  await expect.poll(() => reported, DEADLINE).toBeGreaterThanOrEqual(before + 2);
}
const isThere = (where: string): boolean => existsSync(path.join(root, where));
const quarantine = async (): Promise<readonly string[]> => (isThere("/var/lib/cni/sandglass-quarantine") ? await readdir(path.join(root, "/var/lib/cni/sandglass-quarantine")) : []);
const runOf = async (work: StoredWork) => (await state.runs({ limit: 10 })).find(({ id }) => id === work.runId);

describe("an order", () => {
  it("that is dry lists what would be touched and touches nothing; what is whole is not listed", async () => {
    startAgent();
    await heard();
    const { outcome } = await endOf(await ask(order({ dry: true, objects: [] })));
    expect(outcome).toEqual({ state: "ended", objects: [{ id: BROKEN, name: BROKEN, outcome: "would", reason: "it is empty" }] });
    expect(isThere(BROKEN)).toBe(true);
    expect(await state.triedDry({ node: "node-1", version: "v1", sinceMs: 0 })).toMatchObject({ outcome });
  });

  it("moves what it names, ends its run as applied, and stands in the audit with what was done", async () => {
    startAgent();
    await heard();
    await put(`${RESULTS}/cbr0-cut-eth0`, '{"kind":"cni', 5);
    const work = await endOf(await ask(order({ objects: [BROKEN, `${RESULTS}/cbr0-cut-eth0`] })));
    expect(work.outcome?.objects.map(({ outcome }) => outcome)).toEqual(["done", "done"]);
    expect([isThere(BROKEN), isThere(`${RESULTS}/cbr0-cut-eth0`), isThere(`${RESULTS}/cbr0-whole-eth0`)]).toEqual([false, false, true]);
    const moved = await quarantine();
    expect(moved.map((name) => name.replace(/^\S+ /, "")).sort()).toEqual(["results cbr0-broken-eth0", "results cbr0-cut-eth0"]);
    expect(await runOf(work)).toMatchObject({ state: "applied", steps: [{ title: "The agent carries it out", state: "done", after: "2 done" }] });
    expect((await state.auditEntries({ limit: 5 }))[0]).toMatchObject({ verb: "action.run", outcome: "done", detail: { toldBy: "agent", objects: { done: 2 } } });
  });

  it("waits for an agent that comes late, and fails where none takes it in time", async () => {
    const early = await ask(order());
    const late = await ask(order({ node: "node-1", issuedMs: Date.now() - TAKE_WITHIN_MS - 1 }));
    await expect.poll(async () => (await state.work({ id: late.id }))?.state, DEADLINE).toBe("lost");
    startAgent();
    expect((await endOf(early)).outcome?.objects).toMatchObject([{ outcome: "done" }]);
    expect((await state.runs({ limit: 5 })).map((one) => [one.state, one.error ?? ""])).toEqual([["failed", expect.stringContaining("did not take the order in time")], ["applied", ""]]);
  });

  it("is begun once: handed out again to an agent that was restarted, it is told and not repeated", async () => {
    const first = startAgent();
    const made = await ask(order());
    await endOf(made);
    await end(first);
    await put(BROKEN, "", 5); // what a second beginning would move
    writeBesideStore(store.file, "UPDATE work_order SET state = 'taken', outcome = NULL WHERE id = ?", made.id);
    startAgent();
    expect((await endOf(made)).outcome?.objects).toMatchObject([{ id: BROKEN, outcome: "done" }]);
    expect(isThere(BROKEN)).toBe(true);
  });

  it("of which an agent was told before is refused by one that lost its memory", async () => {
    const first = startAgent();
    const made = await ask(order());
    await endOf(made);
    await end(first);
    await put(BROKEN, "", 5);
    await rm(stateDir, { recursive: true });
    writeBesideStore(store.file, "UPDATE work_order SET state = 'taken' WHERE id = ?", made.id);
    startAgent();
    expect((await endOf(made)).outcome).toMatchObject({ state: "refused", reason: expect.stringContaining("not begun again") });
    expect(isThere(BROKEN)).toBe(true);
  });

  it("is not interrupted by a restart of the server, which hears the end of it from the agent", async () => {
    const made = await ask(order());
    expect(ingest.verifications.interrupt(Date.now(), Date.now())).toBe(0);
    const { port } = listener;
    startAgent();
    await endOf(made);
    await stopServing();
    await serve(port);
    const next = await ask(order({ dry: true, objects: [] }));
    expect((await endOf(next)).outcome?.state).toBe("ended");
  });
});

describe("asking for orders", () => {
  it("takes no second connection and no asking that is held: the answer to a report says that an order waits", async () => {
    startAgent();
    await expect.poll(() => reported, DEADLINE).toBeGreaterThanOrEqual(3);
    expect(askings, "once after the start").toEqual(["at once"]);
    const made = await ask(order());
    const next = await ask(order({ dry: true, objects: [] }));
    for (const one of [made, next]) expect((await endOf(one)).outcome?.state).toBe("ended");
    const soFar = reported;
    await expect.poll(() => reported, DEADLINE).toBeGreaterThanOrEqual(soFar + 2);
    // One for each order, one that found no more, and one for a word of just before it was taken.
    expect(askings.length).toBeLessThanOrEqual(7);
    expect(askings).not.toContain("held");
    expect(listener.status()).toMatchObject({ connections: 1, turnedAway: 0 });
  });

  it("is held for an agent of before, which does not say how it wants it, and answered as soon as there is an order", async () => {
    const { port } = listener;
    const file = (name: string) => path.join(agentFolder(dataDir), name);
    const line = lineOfFiles({ caFile: file("ca.crt"), tokenFile: file("node-1.token") });
    const gone = new AbortController();
    try {
      const asked = createDesk({ url: `https://127.0.0.1:${String(port)}`, line }, systemClock, gone.signal).ask();
      await expect.poll(() => askings, DEADLINE).toEqual(["held"]);
      const made = await ask(order());
      expect(await asked).toMatchObject({ begun: false, order: { id: made.id } });
    } finally {
      gone.abort();
      line.close();
    }
  });

  it("goes on beside the reports at a server of before, which holds the asking and says nothing of orders in its answers", async () => {
    const { authority } = await ensureAgentAuthority(dataDir);
    await stopServing();
    const held: ServerResponse[] = [];
    const certificate = await issueListenerCertificate(authority, []);
    let pushes = 0;
    const before = createServer({ key: certificate.keyPem, cert: certificate.certPem, minVersion: "TLSv1.3" }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (request.url === "/v1/report") {
          pushes += 1;
          response.end('{"version":1}');
        } else if (held.push(response) === 1) {
          const { nonce } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { nonce: string };
          response.end(JSON.stringify(signed({ nonce, sentMs: Date.now() }, authority.keyPem)));
        }
      });
    });
    await new Promise<void>((resolve) => before.listen(listener.port, "127.0.0.1", resolve));
    try {
      startAgent();
      await expect.poll(() => held.length, DEADLINE).toBe(2); // the first found nothing, the second is held
      const soFar = pushes;
      await expect.poll(() => pushes, DEADLINE).toBeGreaterThanOrEqual(soFar + 3);
      expect(held).toHaveLength(2);
    } finally {
      await Promise.all(agents.splice(0).map((agent) => end(agent)));
      before.closeAllConnections();
      await new Promise((resolve) => before.close(resolve));
      await serve();
    }
  });
});

describe("a hostile or mistaken order is refused with a reason, and nothing is touched", () => {
  const OTHER = "/etc/cni/net.d/10-a.conflist";
  /** What is left of every file, told apart by name. */
  async function unchanged(made: WorkOrder): Promise<StoredWork> {
    const work = await endOf(made);
    expect([isThere(BROKEN), await quarantine()]).toEqual([true, []]);
    return work;
  }

  it.each([
    ["that has expired", { expiresMs: 1 }, /has expired/],
    ["that claims to be good for longer than an hour", { expiresMs: Date.now() + 7_200_000 }, /longer than an hour/],
    ["that names nothing", { objects: [] }, /names nothing/],
    ["that names an object twice", { objects: [BROKEN, BROKEN] }, /names an object twice/],
    ["for an action that the agent was not started with", { action: "purge-dead-sandboxes" }, /not started with --enable-actions purge-dead-sandboxes/],
    ["for an action that nobody knows", { action: "rm-rf" as WorkOrder["action"] }, /not understood \(action\)/],
    ["with values out of bounds", { params: { parallel: 5_000 } }, /not understood \(params.parallel\)/],
  ] as const)("%s", async (_what, over, reason) => {
    startAgent();
    await heard();
    const work = await unchanged(await ask(order(over as Partial<WorkOrder>)));
    expect(work.outcome).toMatchObject({ state: "refused", reason: expect.stringMatching(reason) });
    expect(await runOf(work)).toMatchObject({ state: "failed", error: expect.stringMatching(reason) });
  });

  it("for another node, by its row or by its text, since it is handed to neither", async () => {
    startAgent();
    await heard();
    const made = await ask(order());
    writeBesideStore(store.file, 'UPDATE work_order SET "order" = json_set("order", \'$.node\', \'node-9\') WHERE id = ?', made.id);
    await ask(order({ node: "node-2" }));
    await heardAgain();
    expect((await state.runs({ limit: 5 })).map((one) => one.state)).toEqual(["running", "running"]);
    expect([isThere(BROKEN), await quarantine()]).toEqual([true, []]);
  });

  it("with paths that are none of a cache's own, links, other names and traversal", async () => {
    await put(OTHER, "", 5);
    await symlink(path.join(root, OTHER), path.join(root, `${RESULTS}/cbr0-link-eth0`));
    await put("/var/lib/cni/twice", "", 5);
    await link(path.join(root, "/var/lib/cni/twice"), path.join(root, `${RESULTS}/cbr0-twice-eth0`));
    await mkdir(path.join(root, `${RESULTS}/folder`));
    await put(`${RESULTS}/cbr0-fresh-eth0`, "", 0);
    startAgent();
    await heard();
    const objects = [OTHER, `${RESULTS}/../../../../etc/cni/net.d/10-a.conflist`, `${RESULTS}/cbr0-link-eth0`, `${RESULTS}/cbr0-twice-eth0`, `${RESULTS}/folder`, `${RESULTS}/.hidden`, `${RESULTS}/`, "relative", `${RESULTS}/cbr0-fresh-eth0`, `${RESULTS}/cbr0-whole-eth0`, `${RESULTS}/cbr0-gone-eth0`];
    const work = await unchanged(await ask(order({ objects })));
    expect(work.outcome?.objects.map(({ id, outcome, reason }) => [id.slice(id.lastIndexOf("/") + 1), outcome, reason])).toEqual([
      ["10-a.conflist", "left", "it is no entry of a CNI cache"],
      ["10-a.conflist", "left", "it is no entry of a CNI cache"],
      ["cbr0-link-eth0", "left", "it is a link"],
      ["cbr0-twice-eth0", "left", "it has other names"],
      ["folder", "left", "it is no file"],
      [".hidden", "left", "it is no entry of a CNI cache"],
      ["", "left", "it is no entry of a CNI cache"],
      ["relative", "left", "it is no entry of a CNI cache"],
      ["cbr0-fresh-eth0", "left", expect.stringMatching(/^it was written \d+ s ago, less than 60 s$/)],
      ["cbr0-whole-eth0", "left", "it is whole"],
      ["cbr0-gone-eth0", "left", "it is gone already"],
    ]);
    expect(await readFile(path.join(root, OTHER), "utf8")).toBe("");
    expect(await runOf(work)).toMatchObject({ state: "failed", error: "Nothing was done: no object passed its last check." });
  });

  it("for a sandbox that is ready by the runtime's list", async () => {
    const ready = "well";
    const id = await readyId(ready);
    const owned = `${RESULTS}/cbr0-${id}-eth0`;
    await put(owned, "", 5);
    startAgent();
    await heard();
    const work = await unchanged(await ask(order({ objects: [owned] })));
    expect(work.outcome?.objects).toMatchObject([{ outcome: "left", reason: expect.stringMatching(/^it is of a sandbox that is ready \(/) }]);
    expect(isThere(owned)).toBe(true);
  });

  it("where what is done could not be remembered", async () => {
    await writeFile(path.join(stateDir, "orders"), "");
    startAgent();
    await heard();
    for (const dry of [true, false]) {
      const work = await unchanged(await ask(order(dry ? { dry, objects: [] } : {})));
      expect(work.outcome).toMatchObject({ state: "refused", reason: expect.stringMatching(/^what is done could not be remembered in .*: --state-dir has to be a folder that the agent may write to$/) });
    }
  });

  it("told by another node's agent", async () => {
    startAgent();
    const made = await ask(order());
    await endOf(made);
    expect(ingest.work.told(made.id, "node-2", { state: "ended", objects: [] }, Date.now())).toBe(false);
  });
});

async function readyId(name: string): Promise<string> {
  const { runtimeReader } = await import("../agent/runtime");
  const { hostFs } = await import("../agent/host-fs");
  const reader = runtimeReader(hostFs(root), "auto", log);
  const { sandboxes } = await reader.look(Date.now());
  reader.close();
  const found = sandboxes.looked ? sandboxes.items.find((one) => one.ready && one.name.startsWith(name)) : undefined;
  if (found === undefined) throw new Error("the recorded list has no such sandbox");
  return found.id;
}
