import { readFile, stat } from "node:fs/promises";
import { Agent, request } from "node:https";
import { z } from "zod";
import { AGENT_SENT_HEADER, capText, type PushAnswer } from "../domain/agent-report";
import { parseAnswer } from "./answer";
import { boundedText } from "./bounded-text";
import { reasonOf } from "./host-fs";

/** What became of one push. `refused`: sending the same again cannot help. `later`: the server is away, busy or does not know the token (yet). */
export type Pushed = { readonly outcome: "taken"; readonly answer?: PushAnswer } | { readonly outcome: "refused"; readonly reason: string } | { readonly outcome: "later"; readonly reason: string; readonly retryAfterMs?: number };

export interface Pusher {
  push(body: Buffer, sentMs: number): Promise<Pushed>;
  close(): void;
}

const PUSH_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_SECRET_FILE_BYTES = 64 * 1024;
const MAX_RETRY_AFTER_SECONDS = 600;
const SOCKETS = 1;

const Problem = z.object({ title: z.string().optional(), detail: z.string().optional() });

/** One kept-alive TLS connection. Token and authority are read again when their files change, as rotation does. */
export function createPusher(options: { readonly url: string; readonly tokenFile: string; readonly caFile: string }): Pusher {
  let agent: Agent | undefined;
  const ca = cachedFile(options.caFile);
  const token = cachedFile(options.tokenFile);

  return {
    push: async (body, sentMs) => {
      let bearer: string;
      try {
        const authority = await ca();
        if (authority.changed || agent === undefined) {
          agent?.destroy();
          agent = new Agent({ keepAlive: true, maxSockets: SOCKETS, ca: authority.text, minVersion: "TLSv1.3" });
        }
        bearer = (await token()).text.trim();
      } catch (error) {
        return { outcome: "later", reason: error instanceof Error ? error.message : String(error) };
      }
      const using = agent;
      const late = AbortSignal.timeout(PUSH_TIMEOUT_MS);
      return new Promise<Pushed>((resolve) => {
        const later = (reason: string): void => {
          resolve({ outcome: "later", reason: capText(reason) });
        };
        const call = request(
          options.url,
          {
            method: "POST",
            agent: using,
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
    close: () => {
      agent?.destroy();
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

/** A small file's text, read again when it was replaced or written. */
export function cachedFile(path: string): () => Promise<{ readonly text: string; readonly changed: boolean }> {
  let last: { readonly stamp: string; readonly text: string } | undefined;
  return async () => {
    try {
      const found = await stat(path);
      const stamp = `${String(found.ino)} ${String(found.mtimeMs)} ${String(found.size)}`;
      if (last?.stamp === stamp) return { text: last.text, changed: false };
      if (!found.isFile() || found.size > MAX_SECRET_FILE_BYTES) throw new Error(`not a file of at most ${String(MAX_SECRET_FILE_BYTES)} bytes`);
      last = { stamp, text: await readFile(path, "utf8") };
      return { text: last.text, changed: true };
    } catch (error) {
      throw new Error(`${path} could not be read: ${reasonOf(error)}`, { cause: error });
    }
  };
}
