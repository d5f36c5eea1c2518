import { request } from "node:https";
import { gzipSync } from "node:zlib";
import { AGENT_REPORT_VERSION, type AgentReport } from "@/server/domain/agent-report";

/** A report as a healthy node's agent makes it. */
export function sampleReport(over: Partial<AgentReport> = {}): AgentReport {
  return {
    version: AGENT_REPORT_VERSION,
    node: "node-1",
    startId: "0d7f4c2e-9b0a-4f53-8f0e-000000000001",
    sequence: 1,
    atMs: 1_780_000_000_000,
    agentVersion: "0.1.0",
    runtime: { looked: true, reading: { name: "containerd", version: "1.6.20", conditions: [{ type: "NetworkReady", status: true, reason: "", message: "" }] } },
    sandboxes: {
      looked: true,
      items: [{ id: "a".repeat(64), namespace: "default", name: "web-0", uid: "5b8c9d0e-1111-2222-3333-444455556666", attempt: 0, ready: true, createdMs: 1_779_999_000_000 }],
      tookSeconds: 0.02,
      truncated: false,
    },
    sockets: { looked: true, items: [{ name: "multus", path: "/run/multus/multus.sock", state: "answers", latencySeconds: 0.001, detail: "200 on /readyz" }] },
    config: { looked: true, reading: { dir: "/etc/cni/net.d", effectiveFile: "00-multus.conf", pluginTypes: ["multus-shim"], sockets: ["/run/multus/multus.sock"], missingBinaries: [], binDirs: ["/opt/cni/bin"] } },
    ...over,
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

export interface Post {
  readonly port: number;
  readonly ca: string;
  readonly token?: string;
  readonly body: Buffer | string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request on a connection of its own. */
export function post({ port, ca, token, body, method = "POST", path = "/v1/report", headers = {} }: Post): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, path, method, ca, agent: false, headers: { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) });
      });
    });
    call.on("error", reject);
    call.end(body);
  });
}

/** A report packed as agents pack it, with the header that says so. */
export const packed = (report: unknown): { body: Buffer; headers: Record<string, string> } => ({ body: gzipSync(JSON.stringify(report)), headers: { "content-encoding": "gzip" } });
