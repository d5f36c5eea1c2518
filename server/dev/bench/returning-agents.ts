import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { reportBuffer } from "../../agent/buffer";
import { createDesk, type Desk } from "../../agent/actions/desk";
import { fullJitterMs } from "../../agent/backoff";
import { createBell } from "../../agent/bell";
import { lineOfFiles, type Line } from "../../agent/line";
import { createPusher, type Pushed, type Pusher } from "../../agent/push";
import { createSender, sleep } from "../../agent/sender";
import { systemClock } from "../../clock";
import { AGENT_AUDIENCE, type PushAnswer } from "../../domain/agent-report";
import { createLog } from "../../log";
import { sampleReport } from "../../sources/agent/testing";
import { largest } from "./statistics";

/** A fleet of agents in one process: the agent's own buffer, sender and pusher, with reports that were made beforehand. */
export interface ReturningAgents {
  /** All of them begin to send now. Resolves when everything was taken, or after `mostMs`. */
  comeBack(mostMs: number): Promise<Return>;
}

export interface Return {
  /** After how many ms each agent's first report was taken; absent for those that never got through. */
  readonly firstMs: readonly number[];
  readonly allMs: number;
  /** Reports that the server has, those among them of which it said so a second time. */
  readonly taken: number;
  /** Pushes by what came of them: "taken", "429 …", "no answer in 15 s" and the like. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly longestAnswerMs: number;
}

export interface ReturningOptions {
  readonly folder: string;
  readonly nodes: readonly string[];
  /** Reports that wait in each buffer. */
  readonly held: number;
  readonly url: string;
  readonly caFile: string;
  readonly account: string;
}

const SANDBOXES = 110;
const PERIOD_MS = 15_000;
const TOKEN_SECONDS = 3_600;
const MAX_AGE_MS = 3_600_000;
const MAX_BYTES = 8 * 1024 * 1024;
const compress = promisify(gzip);

export async function returningAgents({ folder, nodes, held, url, caFile, account }: ReturningOptions): Promise<ReturningAgents> {
  await mkdir(folder, { recursive: true });
  const log = createLog("silent", "bench");
  const nowMs = Date.now();
  const ready: { readonly pusher: Pusher; readonly buffer: ReturnType<typeof reportBuffer>; readonly line: Line }[] = [];
  for (const node of nodes) {
    const tokenFile = path.join(folder, `${node}.token`);
    await writeFile(tokenFile, tokenOf(node, account, nowMs));
    const buffer = reportBuffer({ maxAgeMs: MAX_AGE_MS, maxBytes: MAX_BYTES }, () => undefined);
    const startId = randomUUID();
    for (let sequence = 1; sequence <= held; sequence += 1) {
      const atMs = nowMs - (held - sequence) * PERIOD_MS;
      buffer.add({ atMs, sequence, body: await compress(JSON.stringify(reportOf(node, startId, sequence, atMs)), { level: 1 }) });
    }
    const line = lineOfFiles({ tokenFile, caFile });
    ready.push({ pusher: createPusher({ url, line }), buffer, line });
  }
  return {
    comeBack: async (mostMs) => {
      const ending = new AbortController();
      const beganMs = performance.now();
      const outcomes: Record<string, number> = {};
      const firstMs: number[] = [];
      const answers: number[] = [];
      let taken = 0;
      let allMs = 0;
      let allDone = (): void => undefined;
      const done = new Promise<void>((resolve) => (allDone = resolve));
      const count = (pushed: Pushed): void => {
        const words = pushed.outcome === "taken" ? "taken" : pushed.reason.replace(/sequence \d+/, "sequence N");
        outcomes[words] = (outcomes[words] ?? 0) + 1;
        if (!had(pushed)) return;
        taken += 1;
        allMs = performance.now() - beganMs;
        if (taken === nodes.length * held) allDone();
      };
      const senders = ready.map(({ pusher, buffer, line }) => {
        let through = false;
        const watched: Pusher = {
          push: async (body, sentMs) => {
            const askedMs = performance.now();
            const pushed = await pusher.push(body, sentMs);
            answers.push(performance.now() - askedMs);
            count(pushed);
            if (had(pushed) && !through) {
              through = true;
              firstMs.push(performance.now() - beganMs);
            }
            return pushed;
          },
        };
        const bell = createBell();
        const desk = createDesk({ url, line, bell }, systemClock, ending.signal);
        void asksForOrders(desk, ending.signal);
        let asked = false;
        const told = ({ orders }: PushAnswer): void => {
          if (buffer.length > 0) return; // as run.ts does
          if (!asked || orders !== false) bell.ring();
          asked = true;
        };
        return createSender({ buffer, pusher: watched, told, clock: systemClock, log, signal: ending.signal, random: Math.random });
      });
      for (const sender of senders) sender.wake();
      const late = setTimeout(allDone, mostMs);
      await done;
      clearTimeout(late);
      ending.abort();
      for (const { line } of ready) line.close();
      return { firstMs, allMs, taken, outcomes, longestAnswerMs: largest(answers) };
    },
  };
}

/** As an agent with --enable-actions does, which finds none here. */
async function asksForOrders(desk: Desk, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      await desk.ask();
      failures = 0;
    } catch {
      failures += 1; // as of a busy server; the real worker says so in its log
      await sleep(systemClock, 1_000 + fullJitterMs(failures, 1_000, 30_000, Math.random()), signal);
    }
  }
}

/** 409: it was taken, and the answer did not come in time. */
const had = (pushed: Pushed): boolean => pushed.outcome === "taken" || (pushed.outcome === "refused" && pushed.reason.startsWith("409"));

/** A token that the scripted API server of this bench takes for signed. */
const tokenOf = (node: string, account: string, nowMs: number): string =>
  [{ alg: "none" }, { sub: account, aud: [AGENT_AUDIENCE], exp: Math.floor(nowMs / 1_000) + TOKEN_SECONDS, node }].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".") + ".bench";
export const nodeOfToken = (token: string): string => String((JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as { node: unknown }).node);

function reportOf(node: string, startId: string, sequence: number, atMs: number): unknown {
  const items = Array.from({ length: SANDBOXES }, (_, at) => ({ id: randomBytes(32).toString("hex"), namespace: "default", name: `web-${String(at)}`, uid: `5b8c9d0e-1111-2222-3333-${String(at).padStart(12, "0")}`, attempt: 0, ready: true, createdMs: atMs - 3_600_000 }));
  return sampleReport({ node, startId, sequence, atMs, sandboxes: { looked: true, items, tookSeconds: 0.02, truncated: false } });
}
