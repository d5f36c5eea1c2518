import { request } from "node:http";
import { z } from "zod";
import { MAX_KUBELET_PODS, type KubeletPod, type LaterParts } from "../../domain/agent-readings";
import { capText } from "../../domain/agent-report";
import { boundedText } from "../bounded-text";
import { idText, nameText, wordText } from "../bounds";
import { reasonOf } from "../host-fs";
import type { ProcScan } from "../proc/scan";
import { KubeletUnknown } from "./embedded";
import type { KubeletReader } from "./kubelet";

const TIMEOUT_MS = 5_000;
/** Whole pods come, of which little is kept: some 250 of 20 KB each, three times over. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const MAX_PORT = 65_535;
const SHUT = "the kubelet's read-only port is off, and any other way to its list takes a right that reaches into every container";

const List = z.object({ items: z.array(z.object({ metadata: z.object({ uid: z.string(), namespace: z.string(), name: z.string() }), status: z.object({ phase: z.string().optional() }).optional() })).nullable() });

/** The pods of the node by its kubelet's own list, where that answers whoever asks on the node itself. */
export async function lookAtKubeletPods(kubelet: Pick<KubeletReader, "readOnlyPort">, scan: ProcScan): Promise<NonNullable<LaterParts["kubeletPods"]>> {
  try {
    const port = await kubelet.readOnlyPort(scan);
    if (port === 0) return { looked: false, reason: SHUT };
    if (!Number.isInteger(port) || port < 0 || port > MAX_PORT) throw new KubeletUnknown(`the kubelet's read-only port is no port: ${String(port)}`);
    const pods = (List.parse(JSON.parse(await get(port))).items ?? []).map(({ metadata, status }): KubeletPod => ({ uid: idText(metadata.uid), namespace: nameText(metadata.namespace), name: nameText(metadata.name), ...(status?.phase === undefined ? {} : { phase: wordText(status.phase) }) }));
    return { looked: true, items: pods.slice(0, MAX_KUBELET_PODS), truncated: pods.length > MAX_KUBELET_PODS };
  } catch (error) {
    return { looked: false, reason: capText(saying(error)) };
  }
}

function saying(error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError) return "what the kubelet's read-only port answers is no list of pods";
  return error instanceof KubeletUnknown ? error.message : `the kubelet's read-only port: ${reasonOf(error)}`;
}

function get(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, path: "/pods", agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => {
      if (response.statusCode !== 200) {
        response.destroy();
        reject(new KubeletUnknown(`the kubelet's read-only port answers ${String(response.statusCode)}`));
        return;
      }
      boundedText(response, MAX_LIST_BYTES).then(resolve, reject);
    });
    call.on("error", reject);
    call.end();
  });
}
