import { request } from "node:https";
import { z } from "zod";
import { AGENT_SENT_HEADER, capText, type PushAnswer } from "../domain/agent-report";
import { parseAnswer } from "./answer";
import { boundedText } from "./bounded-text";
import { reasonOf } from "./host-fs";
import type { Line } from "./line";

/** What became of one push. `refused`: sending the same again cannot help. `later`: the server is away, busy or does not know the token (yet). */
export type Pushed = { readonly outcome: "taken"; readonly answer?: PushAnswer } | { readonly outcome: "refused"; readonly reason: string } | { readonly outcome: "later"; readonly reason: string; readonly retryAfterMs?: number };

export interface Pusher {
  push(body: Buffer, sentMs: number): Promise<Pushed>;
}

const PUSH_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_RETRY_AFTER_SECONDS = 600;

const Problem = z.object({ title: z.string().optional(), detail: z.string().optional() });

/** Sends reports over the line, one at a time. */
export function createPusher({ url, line }: { readonly url: string; readonly line: Line }): Pusher {
  return {
    push: async (body, sentMs) => {
      let taken: Awaited<ReturnType<Line["take"]>>;
      try {
        taken = await line.take();
      } catch (error) {
        return { outcome: "later", reason: error instanceof Error ? error.message : String(error) };
      }
      const { agent, bearer } = taken;
      const late = AbortSignal.timeout(PUSH_TIMEOUT_MS);
      return new Promise<Pushed>((resolve) => {
        const later = (reason: string): void => {
          resolve({ outcome: "later", reason: capText(reason) });
        };
        const call = request(
          url,
          {
            method: "POST",
            agent,
            signal: late,
            headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json", "content-encoding": "gzip", "content-length": body.length, [AGENT_SENT_HEADER]: String(sentMs) },
          },
          (response) => {
            boundedText(response, MAX_ANSWER_BYTES).then(
              (text) => {
                resolve(judge(response.statusCode ?? 0, response.headers["retry-after"], text));
              },
              (error: unknown) => {
                later(reasonOf(error));
              },
            );
          },
        );
        call.on("error", (error) => {
          later(late.aborted ? `no answer in ${String(PUSH_TIMEOUT_MS / 1000)} s` : explain(error));
        });
        call.end(body);
      });
    },
  };
}

/** Statuses after which the same report, sent again, meets the same end. 409: the server has it already. */
const FINAL = new Set([400, 403, 409, 413, 415, 422]);

export function judge(status: number, retryAfter: string | undefined, body: string): Pushed {
  if (status >= 200 && status < 300) {
    const answer = parseAnswer(body);
    return { outcome: "taken", ...(answer === undefined ? {} : { answer }) };
  }
  const reason = `${String(status)} ${problemText(body)}`.trim();
  if (FINAL.has(status)) return { outcome: "refused", reason };
  const seconds = Number(retryAfter);
  return { outcome: "later", reason, ...(retryAfter !== undefined && seconds >= 0 ? { retryAfterMs: Math.min(seconds, MAX_RETRY_AFTER_SECONDS) * 1000 } : {}) };
}

function problemText(body: string): string {
  try {
    const problem = Problem.safeParse(JSON.parse(body));
    return problem.success ? capText(problem.data.detail ?? problem.data.title ?? "") : "";
  } catch {
    return "an answer that is no problem document"; // a proxy in between, most likely
  }
}

/** The two that people meet, in words; the code otherwise. */
function explain(error: Error): string {
  const code = reasonOf(error);
  if (code === "UNABLE_TO_VERIFY_LEAF_SIGNATURE" || code === "SELF_SIGNED_CERT_IN_CHAIN" || code === "DEPTH_ZERO_SELF_SIGNED_CERT") return `${code}: the server's certificate is not from the authority in --ca-file`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `${code}: the server's certificate is for other names (add this one to the server with --agent-name)`;
  return code;
}
