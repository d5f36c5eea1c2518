/** Why a message to the agent port is dropped, with the status and the title of its problem document. */
export const DROPS = {
  "not-found": [404, "There is only POST /v1/report, and for agents that take orders /v1/work, here"],
  "method": [405, "Reports are sent with POST"],
  "unknown-token": [401, "No node has this token"],
  "other-account": [401, "The token is another account's"],
  "unbound-token": [401, "The token is bound to no node"],
  "media-type": [415, "A report is application/json, plain or gzip"],
  "too-large": [413, "The report is too large"],
  "malformed": [400, "The report cannot be read"],
  "version": [422, "The report's version is not understood"],
  "other-node": [403, "The token is another node's"],
  "replayed": [409, "This report was taken before"],
  "clock": [422, "The report's time is out of range"],
  "no-such-order": [410, "This node has no such order"],
  "not-listed-yet": [503, "The nodes of the cluster are not listed yet"],
  "unlisted-node": [404, "The cluster has no such node"],
  "busy": [429, "Too many reports at once"],
  "cannot-check": [503, "The token cannot be checked now"],
  "incomplete": [408, "The report did not arrive whole"],
  "internal": [500, "The report could not be handled"],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

export type DropReason = keyof typeof DROPS;
export const DROP_REASONS = Object.keys(DROPS) as readonly DropReason[]; // the keys of the table above

/** A message that ends here; `detail` is for the sender and names no secret. */
export class Dropped extends Error {
  override name = "Dropped";
  constructor(
    readonly reason: DropReason,
    readonly detail: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(`${reason}: ${detail}`);
  }
}

export interface Problem {
  readonly type: "about:blank";
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly reason: DropReason;
}

export function problemOf(dropped: Dropped): Problem {
  const [status, title] = DROPS[dropped.reason];
  return { type: "about:blank", title, status, detail: dropped.detail, reason: dropped.reason };
}
