import { createHash } from "node:crypto";
import { systemClock } from "@/server/clock";
import { AGENT_AUDIENCE } from "@/server/domain/agent-report";
import type { NodeName } from "@/server/domain/ids";
import type { Log } from "@/server/log";
import type { Connection } from "../kube-api/connect";
import { KubeError } from "../kube-api/errors";
import { accountClaims } from "./account-claims";
import { Dropped } from "./drops";
import { nodeOfPod, reviewToken, userNameOf, type AgentAccount } from "./token-review";

/**
 * Who an agent in a pod is: its service-account token, of an audience of Sandglass's own, is shown to the API server, which says
 * whose it is and which node it is bound to. What it said is remembered for a while. See docs/decisions/0085.
 */
export interface AccountTokens {
  /** The node that the token is bound to. Throws Dropped where it is nobody's, another's, or cannot be checked now. */
  nodeOf(token: string): Promise<NodeName>;
  /** Why tokens cannot be checked; absent while they can, or nobody asked yet. */
  trouble(): { readonly reason: string; readonly sinceMs: number } | undefined;
}

export interface AccountTokensOptions {
  readonly connection: Connection;
  readonly account: AgentAccount;
  readonly log: Log;
  /** Real time, by which tokens end. */
  readonly nowMs?: () => number;
}

/** The API server is asked again after this, less up to a fifth by the token, so that a fleet is not asked for at once. */
export const FRESH_MS = 300_000;
/** While nobody can be asked, what was said before holds this long, and never beyond the token's own end. */
export const GRACE_MS = 3_600_000;
const REFUSED_MS = 30_000;
const MAX_KNOWN = 20_000;
const MAX_REFUSED = 1_000;
const MAX_PODS = 20_000;
const MAX_AT_ONCE = 16;
/** No more than are through before an agent gives up: one that is told to come back keeps its connection, one that gave up begins anew. */
const MAX_WAITING = 64;
/** After a question that could not be asked, none is asked for this long. */
const PAUSE_MS = 5_000;
const BUSY_SECONDS = 2;
const CANNOT_CHECK_SECONDS = 10;
/** Tokens that the API server did not know: so many are asked about at once and every second. More are forged. */
const FORGED_BURST = 100;
const FORGED_PER_SECOND = 10;

interface Known {
  readonly node: NodeName;
  readonly askedMs: number;
  readonly freshMs: number;
  readonly expiresMs: number;
}

export function accountTokens({ connection, account, log, nowMs = () => systemClock.now() }: AccountTokensOptions): AccountTokens {
  const known = new Map<string, Known>();
  const refused = new Map<string, { readonly dropped: Dropped; readonly untilMs: number }>();
  const pods = new Map<string, NodeName>();
  const asking = new Map<string, Promise<NodeName>>();
  const places = placesOf(MAX_AT_ONCE, MAX_WAITING);
  const forged = budget(FORGED_BURST, FORGED_PER_SECOND, nowMs);
  let trouble: { readonly reason: string; readonly sinceMs: number } | undefined;
  let pausedUntilMs = 0;

  const ask = async (token: string): Promise<NodeName> => {
    if (nowMs() < pausedUntilMs) throw cannotCheck(trouble?.reason ?? "the API server cannot be asked");
    if (!forged.left()) throw new Dropped("busy", "too many unknown tokens", BUSY_SECONDS);
    try {
      const found = await places.run(async () => {
        const { node, pod } = await reviewToken(connection, token, account);
        return node ?? (pod === undefined ? undefined : await boundPod(pod));
      });
      trouble = undefined;
      if (found === undefined) throw new Dropped("unbound-token", "the token is bound to no node, and to no pod that runs on one: mount it as deploy/agent.yaml does");
      return found;
    } catch (error) {
      if (error instanceof Dropped && error.reason !== "busy") forged.spend();
      if (!(error instanceof KubeError)) throw error;
      const reason = wordsOf(error);
      if (trouble?.reason !== reason) log.error({ reason, err: error }, "agents' tokens cannot be checked");
      trouble = { reason, sinceMs: trouble?.sinceMs ?? nowMs() };
      // What waited for an answer in vain has waited enough, and is bounded by its places.
      if (error.reason !== "timed-out") pausedUntilMs = nowMs() + (error.retryAfterMs === undefined ? PAUSE_MS : Math.min(error.retryAfterMs, FRESH_MS));
      throw cannotCheck(reason);
    }
  };
  const boundPod = async (pod: { readonly name: string; readonly uid: string }): Promise<NodeName | undefined> => {
    const node = pods.get(pod.uid) ?? (await nodeOfPod(connection, account, pod));
    if (node !== undefined) remember(pods, pod.uid, node, MAX_PODS); // a pod never moves
    return node;
  };
  const askOnce = (key: string, token: string, expiresMs: number): Promise<NodeName> => {
    const under = asking.get(key);
    if (under !== undefined) return under;
    const answer = ask(token)
      .then((node) => {
        remember(known, key, { node, askedMs: nowMs(), freshMs: FRESH_MS * (1 - spread(key) / 5), expiresMs }, MAX_KNOWN);
        return node;
      })
      .catch((error: unknown) => {
        if (error instanceof Dropped && isVerdict(error)) {
          known.delete(key);
          remember(refused, key, { dropped: error, untilMs: nowMs() + REFUSED_MS }, MAX_REFUSED);
        }
        throw error;
      })
      .finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  };

  return {
    nodeOf: async (token) => {
      const claims = accountClaims(token);
      if (claims === undefined) throw new Dropped("unknown-token", "this is no service-account token");
      if (claims.expiresMs <= nowMs()) throw new Dropped("unknown-token", "the token has ended; the kubelet exchanges it in the file in time, so the agent has to read that again");
      if (claims.subject !== userNameOf(account)) throw new Dropped("other-account", `only ${userNameOf(account)} may report (see --agent-account)`);
      if (!claims.audiences.includes(AGENT_AUDIENCE)) throw new Dropped("unknown-token", `the token is not for the audience ${AGENT_AUDIENCE}`);
      const key = createHash("sha256").update(token).digest("hex");
      const before = known.get(key);
      if (before !== undefined && nowMs() - before.askedMs < before.freshMs) return before.node;
      const no = refused.get(key);
      if (no !== undefined && nowMs() < no.untilMs) throw no.dropped;
      refused.delete(key);
      try {
        return await askOnce(key, token, claims.expiresMs);
      } catch (error) {
        const holds = before !== undefined && nowMs() - before.askedMs < GRACE_MS;
        if (holds && error instanceof Dropped && !isVerdict(error)) return before.node;
        throw error;
      }
    },
    trouble: () => trouble,
  };
}

/** What the API server said of the token itself, as against a question that was not asked or not answered. */
const isVerdict = ({ reason }: Dropped): boolean => reason !== "busy" && reason !== "cannot-check";
const cannotCheck = (reason: string): Dropped => new Dropped("cannot-check", reason, CANNOT_CHECK_SECONDS);

function wordsOf(error: KubeError): string {
  if (error.status === 403) return `the server may not ask whose token this is: it needs "create" on tokenreviews and "get" on pods (${error.message})`;
  if (error.status === 401) return "the API server does not accept the server's own credentials";
  return error.status === 0 ? error.message : `the API server answered ${String(error.status)} (${error.message})`;
}

/** 0 ≤ x < 1, the same for the same token. */
const spread = (key: string): number => Number.parseInt(key.slice(0, 8), 16) / 2 ** 32;

/** Sets, and forgets the oldest beyond the bound. */
function remember<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const [oldest] of map) if (map.size > most) map.delete(oldest);
    else break;
}

/** At most `atOnce` run, at most `most` wait; the next is told to come back. */
function placesOf(atOnce: number, most: number): { run<T>(work: () => Promise<T>): Promise<T> } {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    run: async (work) => {
      if (running >= atOnce) {
        if (waiting.length >= most) throw new Dropped("busy", "many tokens are being checked", BUSY_SECONDS);
        await new Promise<void>((resolve) => waiting.push(resolve)); // whoever ends hands its place on
      } else running += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

function budget(most: number, perSecond: number, nowMs: () => number): { left(): boolean; spend(): void } {
  let left = most;
  let atMs = nowMs();
  const refill = (): void => {
    const now = nowMs();
    left = Math.min(most, left + (Math.max(0, now - atMs) / 1_000) * perSecond);
    atMs = now;
  };
  return {
    left: () => {
      refill();
      return left >= 1;
    },
    spend: () => {
      refill();
      left = Math.max(0, left - 1);
    },
  };
}
