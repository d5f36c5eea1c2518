/** A client waits this long for a connection to the API server. */
const DIAL_TIMEOUT_MS = 30_000;
const API_ADDRESS = "10.96.0.1:443";

export interface ApiAnswer {
  /** How long the caller waited for it. */
  readonly waitMs: number;
  readonly error?: string;
}

/** How a node's CNI daemon gets on with the API server: whether it reaches it, is let in, and how often it may ask. */
export class ApiAccess {
  reachable = true;
  tokenValid = true;
  /** Questions that the server takes from this client in a second; the others are put off. Absent: as many as come. */
  takesPerSecond: number | undefined;
  private nextFreeMs = 0;

  /** Asks for one pod. */
  ask(nowMs: number, namespace: string, name: string): ApiAnswer {
    if (!this.reachable) return { waitMs: DIAL_TIMEOUT_MS, error: `Get "https://${API_ADDRESS}/api/v1/namespaces/${namespace}/pods/${name}?timeout=1m0s": dial tcp ${API_ADDRESS}: i/o timeout` };
    if (!this.tokenValid) return { waitMs: 0, error: "Unauthorized" };
    if (this.takesPerSecond === undefined) return { waitMs: 0 };
    this.nextFreeMs = Math.max(nowMs, this.nextFreeMs) + 1_000 / this.takesPerSecond;
    return { waitMs: this.nextFreeMs - nowMs };
  }
}
