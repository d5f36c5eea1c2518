import type { KubeletPage } from "../../domain/observation";
import { refusal } from "./failures";
import { PAGE_PATHS, TEXT_FORMAT, type KubeletFetch } from "./fetch";

/**
 * Reads one page of a node's kubelet through the API server (`/api/v1/nodes/NAME/proxy` and the path). Rejects with an
 * error that carries the HTTP `status` where the answer is not 200.
 */
export type ProxyGet = (node: string, path: string, options: { readonly signal: AbortSignal; readonly accept: string }) => Promise<AsyncIterable<Uint8Array>>;

/** Asks kubelets through the API server, whose connection and credentials belong to the API source. */
export function createProxyFetch(proxyGet: ProxyGet): KubeletFetch {
  return {
    mode: "proxy",
    tls: "through the API server",
    get: async (node, page, signal) => {
      try {
        const body = await proxyGet(node.name, PAGE_PATHS[page], { signal, accept: page === "configz" ? "application/json" : TEXT_FORMAT });
        return { status: 200, contentType: undefined, gzip: false, body };
      } catch (error) {
        throw translated(error, page);
      }
    },
    forget: () => {},
    close: async () => {},
  };
}

function translated(error: unknown, page: KubeletPage): unknown {
  if (!(error instanceof Error && "status" in error && typeof error.status === "number")) return error;
  return Object.assign(refusal(error.status, page, "proxy"), { cause: error });
}
