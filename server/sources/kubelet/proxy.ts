import type { KubeletPage } from "../../domain/observation";
import { KubeletError, refusal } from "./failures";
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
    close: async () => {},
  };
}

/** What the API server itself says of a kubelet that it cannot reach is told as it is: it names the address and the fault. */
function translated(error: unknown, page: KubeletPage): unknown {
  if (!(error instanceof Error && "status" in error && typeof error.status === "number")) return error;
  if (error.status >= SERVER_FAULT) return new KubeletError(`through the API server: ${error.message}`, { cause: error });
  return Object.assign(refusal(error.status, page, "proxy"), { cause: error });
}

const SERVER_FAULT = 500;
