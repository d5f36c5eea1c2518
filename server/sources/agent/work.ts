import { sign } from "node:crypto";
import { z } from "zod";
import {
  MAX_NONCE_CHARS,
  MAX_OBJECT_ID_CHARS,
  MAX_OBJECT_NAME_CHARS,
  MAX_OBJECT_REASON_CHARS,
  MAX_TOLD_OBJECTS,
  OBJECT_OUTCOMES,
  WORK_STATES,
  WORK_VERSION,
  type NodePods,
  type WorkObject,
  type WorkOrder,
  type WorkState,
} from "@/server/domain/actions/work-order";
import type { NodeName } from "@/server/domain/ids";
import { Dropped } from "./drops";

/** Who has the orders. What a node may see and tell is its own; the token says which it is. */
export interface WorkDesk {
  /** Whether an order waits to be taken by this node's agent. Asked for each report, so it costs nothing. */
  waits(node: NodeName): boolean;
  /** The next order of this node; undefined where there is none. With `held` not before a while has passed, or `signal` says that nobody waits any more. */
  ask(node: NodeName, held: boolean, signal: AbortSignal): Promise<HandedOut | undefined>;
  /** False where this node has no such order. */
  told(node: NodeName, told: Told): boolean;
  /** A list of this node's pods of just now; undefined where it cannot be had. */
  pods(node: NodeName): Promise<NodePods | undefined>;
}

export interface HandedOut {
  readonly order: WorkOrder;
  /** The agent has told of it before: one that does not know it any more must not begin it again. */
  readonly begun: boolean;
}

export interface Told {
  readonly id: string;
  readonly state: WorkState;
  readonly reason?: string;
  readonly objects: readonly WorkObject[];
}

export const MAX_WORK_BODY_BYTES = 512 * 1024;

const nonce = z.string().regex(/^[A-Za-z0-9_-]+$/).min(16).max(MAX_NONCE_CHARS);
/** An agent that is told by the answers to its reports when to ask does not want to be held; one of before does not say. */
const Asking = z.object({ version: z.literal(WORK_VERSION), nonce, held: z.boolean().default(true) });
const WorkObjectSchema = z.object({
  id: z.string().min(1).max(MAX_OBJECT_ID_CHARS),
  name: z.string().max(MAX_OBJECT_NAME_CHARS),
  outcome: z.enum(OBJECT_OUTCOMES),
  reason: z.string().max(MAX_OBJECT_REASON_CHARS).exactOptional(),
});
const Telling = z.object({
  version: z.literal(WORK_VERSION),
  nonce,
  id: z.string().min(1).max(64),
  state: z.enum(WORK_STATES),
  reason: z.string().max(MAX_OBJECT_REASON_CHARS).exactOptional(),
  objects: z.array(WorkObjectSchema).max(MAX_TOLD_OBJECTS),
  wantPods: z.boolean().exactOptional(),
});

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Dropped("malformed", `${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? "not understood"}`);
}

export const parseAsking = (body: unknown): z.output<typeof Asking> => parse(Asking, body);
export const parseTelling = (body: unknown): z.output<typeof Telling> => parse(Telling, body);

/**
 * An answer that only this authority can have made, and only for this asking: it holds the nonce of it. So an order cannot be
 * played again to another node or at another time, whoever stands between.
 */
export function signed(payload: object, authorityKeyPem: string): { readonly version: number; readonly payload: string; readonly signature: string } {
  const text = JSON.stringify(payload);
  return { version: WORK_VERSION, payload: text, signature: sign("sha256", Buffer.from(text), { key: authorityKeyPem, dsaEncoding: "ieee-p1363" }).toString("base64") };
}
