import type { ApiCall, Plan } from "../domain/actions/types";
import type { DaemonSetObject } from "../domain/model";

/** The cluster as a person acts on it: with the credentials of the kubeconfig in use, never with an account of Sandglass's own. */
export interface ClusterPort {
  /** The name that the API server gives to these credentials. Throws ServiceError `cluster-unreachable`. */
  user(): Promise<string>;
  /** `undefined` where there is none by this name. */
  daemonSet(namespace: string, name: string): Promise<DaemonSetObject | undefined>;
  /** The cluster's own word on whether these credentials may do it. */
  can(needs: Plan["needs"]): Promise<{ readonly allowed: boolean; readonly reason: string }>;
  /** Sends one call as planned and returns the object that came back. Throws ServiceError with the API server's own sentence. */
  send(call: ApiCall): Promise<unknown>;
}
