import type { Clock } from "../clock";
import type { Actor } from "../domain/permit";
import type { Log } from "../log";
import type { State } from "../store/state-types";
import type { Reader } from "../store/types";
import type { OpenRuns } from "./actions/open-runs";
import type { ClusterPort } from "./cluster-port";

/** What every service is called with: who asks, and where to look. */
export interface Ctx {
  readonly actor: Actor;
  readonly requestId: string;
  readonly clock: Clock;
  readonly reader: Reader;
  readonly log: Log;
  readonly version: string;
  readonly actionsAllowed: boolean;
}

/** For services that act, or that read what people did. */
export interface ActionCtx extends Ctx {
  readonly state: State;
  readonly cluster: ClusterPort;
  readonly openRuns: OpenRuns;
}
