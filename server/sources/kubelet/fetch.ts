import type { KubeletPage } from "../../domain/observation";
import type { NodeTarget } from "./address";

/** What a kubelet answered, before its body is read. */
export interface KubeletAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly gzip: boolean;
  /** Ends the connection where it is left half read. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** One way to reach kubelets. */
export interface KubeletFetch {
  readonly mode: "direct" | "proxy";
  /** In words for the status: "verify", "pin", "insecure: certificates are not checked", "through the API server". */
  readonly tls: string;
  /** Rejects where there is no answer; ends with the signal. */
  get(node: NodeTarget, page: KubeletPage, signal: AbortSignal): Promise<KubeletAnswer>;
  close(): Promise<void>;
}

export const PAGE_PATHS: Readonly<Record<KubeletPage, string>> = { metrics: "/metrics", cadvisor: "/metrics/cadvisor", configz: "/configz" };

/** OpenMetrics is not asked for: its times are in other units. */
export const TEXT_FORMAT = "text/plain;version=0.0.4";
