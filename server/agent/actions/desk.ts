import { randomBytes, verify, X509Certificate } from "node:crypto";
import { request } from "node:https";
import { z } from "zod";
import { AGENT_REPORT_PATH, capText } from "../../domain/agent-report";
import { ASK_HELD_MS, MAX_OBJECT_NAME_CHARS, MAX_OBJECT_REASON_CHARS, WORK_ASK_PATH, WORK_TOLD_PATH, WORK_VERSION, type NodePods, type WorkObject, type WorkState } from "../../domain/actions/work-order";
import type { Clock } from "../../clock";
import type { Bell } from "../bell";
import { boundedText } from "../bounded-text";
import { reasonOf } from "../host-fs";
import type { Line } from "../line";
import { parsePayload, podsHere, type Payload } from "./order";

/** The server's side of orders, as this agent reaches it. Each answer is checked to be the server's own and for this very asking. */
export interface Desk {
  /** Waits while there is nothing, and ends without an order now and then. Throws DeskError. */
  ask(): Promise<{ readonly order?: unknown; readonly begun: boolean; readonly pods?: NodePods }>;
  /** Throws DeskError; `gone` where the server does not know the order. */
  tell(told: { readonly id: string; readonly state: WorkState; readonly reason?: string; readonly objects: readonly WorkObject[] }, wantPods: boolean): Promise<{ readonly pods?: NodePods }>;
  /** The server's clock, by its last answer. */
  nowMs(): number;
}

export class DeskError extends Error {
  override name = "DeskError";
  constructor(
    message: string,
    readonly kind: "later" | "gone" | "unsigned",
  ) {
    super(message);
  }
}

const ASK_TIMEOUT_MS = ASK_HELD_MS + 15_000;
const TELL_TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const NONCE_BYTES = 18;
const GONE = 410;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const Signed = z.object({ version: z.literal(WORK_VERSION), payload: z.string(), signature: z.string() });

/** Where the desk is and how it is reached. */
export interface DeskAddress {
  readonly url: string;
  readonly line: Line;
  /** Rung when an order may wait; then the server is asked without holding the asking. Without it the asking is held, which takes a connection for itself. */
  readonly bell?: Bell;
}

export function createDesk({ url: address, line, bell }: DeskAddress, clock: Clock, signal: AbortSignal): Desk {
  const base = new URL(address);
  const prefix = base.pathname.endsWith(AGENT_REPORT_PATH) ? base.pathname.slice(0, -AGENT_REPORT_PATH.length) : base.pathname.replace(/\/$/, "");
  let known: { readonly authority: string; readonly keys: readonly X509Certificate[] } | undefined;
  let offsetMs = 0;

  const call = async (path: string, body: object, timeoutMs: number): Promise<Payload> => {
    const nonce = randomBytes(NONCE_BYTES).toString("base64url");
    const answer = await send(path, { version: WORK_VERSION, nonce, ...body }, timeoutMs);
    const payload = checkSigned(answer, known?.keys ?? [], nonce);
    offsetMs = payload.sentMs - clock.now();
    return payload;
  };
  const send = async (path: string, body: object, timeoutMs: number): Promise<string> => {
    let taken: Awaited<ReturnType<Line["take"]>>;
    try {
      taken = await line.take();
      if (known?.authority !== taken.authority) known = { authority: taken.authority, keys: (taken.authority.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem)) };
    } catch (error) {
      throw new DeskError(error instanceof Error ? error.message : String(error), "later");
    }
    const { agent, bearer } = taken;
    const text = JSON.stringify(body);
    const url = new URL(base);
    url.pathname = prefix + path;
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        reject(new DeskError(capText(error.name === "TimeoutError" ? `no answer in ${String(timeoutMs / 1000)} s` : reasonOf(error)), "later"));
      };
      const asked = request(
        url,
        { method: "POST", agent, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]), headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json", "content-length": Buffer.byteLength(text) } },
        (response) => {
          boundedText(response, MAX_ANSWER_BYTES).then((answer) => {
            if (response.statusCode === 200) resolve(answer);
            else reject(new DeskError(capText(`${String(response.statusCode)} ${answer}`), response.statusCode === GONE ? "gone" : "later"));
          }, fail);
        },
      );
      asked.on("error", fail);
      asked.end(text);
    });
  };
  const pods = (payload: Payload): { readonly pods?: NodePods } => (payload.pods === undefined ? {} : { pods: podsHere(payload.pods, offsetMs) });

  return {
    ask: async () => {
      await bell?.rung(signal);
      let more = true; // until an answer says that there is none
      try {
        const payload = await call(WORK_ASK_PATH, bell === undefined ? {} : { held: false }, ASK_TIMEOUT_MS);
        more = payload.order !== undefined;
        return { ...(more ? { order: payload.order } : {}), begun: payload.begun ?? false, ...pods(payload) };
      } finally {
        if (more) bell?.ring();
      }
    },
    tell: async (told, wantPods) => pods(await call(WORK_TOLD_PATH, { ...bounded(told), wantPods }, TELL_TIMEOUT_MS)),
    nowMs: () => clock.now() + offsetMs,
  };
}

/** Text of a runtime or a file system has no bound of its own. */
const bounded = <T extends { readonly reason?: string; readonly objects: readonly WorkObject[] }>(told: T): T => ({
  ...told,
  ...(told.reason === undefined ? {} : { reason: capText(told.reason, MAX_OBJECT_REASON_CHARS) }),
  objects: told.objects.map((one) => ({ ...one, name: capText(one.name, MAX_OBJECT_NAME_CHARS), ...(one.reason === undefined ? {} : { reason: capText(one.reason, MAX_OBJECT_REASON_CHARS) }) })),
});

/** What the authority of `--ca-file` has signed for this asking; throws `unsigned` for anything else. */
export function checkSigned(answer: string, keys: readonly X509Certificate[], nonce: string): Payload {
  const signed = Signed.safeParse(jsonOf(answer));
  if (!signed.success) throw new DeskError("the answer is not a signed one", "unsigned");
  const { payload: text, signature } = signed.data;
  const genuine = keys.some(({ publicKey }) => verify("sha256", Buffer.from(text), { key: publicKey, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64")));
  if (!genuine) throw new DeskError("the answer is not signed by the authority of --ca-file", "unsigned");
  const payload = parsePayload(jsonOf(text));
  if (payload === undefined) throw new DeskError("the signed answer is not understood: upgrade the agent, or the server", "unsigned");
  if (payload.nonce !== nonce) throw new DeskError("the answer was signed for another asking", "unsigned");
  return payload;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
