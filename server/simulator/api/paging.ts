import type { KubeObject } from "../objects/json";
import { badRequest, expiredContinue } from "./status";

/** Lists under way that are kept as they stood at their first page, like etcd keeps old versions for a while. */
export const MAX_SNAPSHOTS = 64;
const DEFAULT_LIMIT = 0;

export interface Page {
  readonly items: readonly KubeObject[];
  readonly version: number;
  readonly continue?: string;
  readonly remaining?: number;
}

/** `limit` and `continue` with one version for all pages of a list. */
export class Pager {
  private readonly snapshots = new Map<string, readonly KubeObject[]>();
  private next = 1;

  page(objects: () => readonly KubeObject[], version: number, limitText: string | null, token: string | null): Page {
    const limit = readLimit(limitText);
    if (token !== null && token !== "") return this.following(token, limit);
    const all = objects();
    if (limit === 0 || all.length <= limit) return { items: all, version };
    const id = String(this.next++);
    this.snapshots.set(id, all);
    const [oldest] = this.snapshots.keys();
    if (this.snapshots.size > MAX_SNAPSHOTS && oldest !== undefined) this.snapshots.delete(oldest);
    return this.cut(id, all, 0, limit, version);
  }

  /** As when five minutes have passed: every list under way ends with 410. */
  expire(): void {
    this.snapshots.clear();
  }

  private following(token: string, limit: number): Page {
    const { id, start, version } = readToken(token);
    const all = this.snapshots.get(id);
    if (all === undefined) throw expiredContinue();
    return this.cut(id, all, start, limit === 0 ? all.length : limit, version);
  }

  private cut(id: string, all: readonly KubeObject[], start: number, limit: number, version: number): Page {
    const end = start + limit;
    const items = all.slice(start, end);
    if (end >= all.length) return { items, version };
    return { items, version, continue: Buffer.from(JSON.stringify({ v: "sim/v1", id, start: end, rv: version })).toString("base64url"), remaining: all.length - end };
  }
}

function readLimit(text: string | null): number {
  if (text === null || text === "") return DEFAULT_LIMIT;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 0) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return limit;
}

function readToken(token: string): { id: string; start: number; version: number } {
  const wrong = (why: string): never => {
    throw badRequest(`continue key is not valid: ${why}`);
  };
  try {
    const { v, id, start, rv } = JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as Record<string, unknown>; // each field is checked below
    if (v !== "sim/v1" || typeof id !== "string" || typeof start !== "number" || typeof rv !== "number") return wrong("unrecognized encoded continue token");
    return { id, start, version: rv };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}
