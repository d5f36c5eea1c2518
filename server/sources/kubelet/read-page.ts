import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { CadvisorMetrics, KubeletMetrics } from "../../domain/observation";
import { CADVISOR_NAMES, createCadvisorCollector, type WantedPod } from "./cadvisor-page";
import { readRuntimeRequestTimeout } from "./configz";
import { KubeletError } from "./failures";
import type { KubeletAnswer } from "./fetch";
import { createKubeletCollector, KUBELET_NAMES } from "./kubelet-page";
import { createPageReader, MAX_PAGE_BYTES, type PromSample } from "./prometheus-text";

/** `/configz` is some KB. */
const MAX_CONFIGZ_BYTES = 1024 * 1024;
const MIB = 1024 * 1024;

export async function readKubeletMetrics(answer: KubeletAnswer, maxBytes = MAX_PAGE_BYTES): Promise<KubeletMetrics> {
  const collector = createKubeletCollector();
  await readSamples(answer, KUBELET_NAMES, collector.add, maxBytes);
  return collector.finish();
}

export async function readCadvisorMetrics(answer: KubeletAnswer, wanted: WantedPod, maxBytes = MAX_PAGE_BYTES): Promise<CadvisorMetrics> {
  const collector = createCadvisorCollector(wanted);
  await readSamples(answer, CADVISOR_NAMES, collector.add, maxBytes);
  return collector.finish();
}

/** The runtime request timeout in seconds. */
export async function readConfigz(answer: KubeletAnswer): Promise<number> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of inflated(answer, MAX_CONFIGZ_BYTES)) {
    bytes += chunk.length;
    if (bytes > MAX_CONFIGZ_BYTES) throw tooLarge(MAX_CONFIGZ_BYTES);
    parts.push(Uint8Array.from(chunk));
  }
  return readRuntimeRequestTimeout(Buffer.concat(parts).toString("utf8"));
}

/** A page that is cut short or holds not a single line of metrics is no page: half of one would read as "nothing there". */
async function readSamples(answer: KubeletAnswer, wanted: readonly string[], onSample: (sample: PromSample) => void, maxBytes: number): Promise<void> {
  const type = answer.contentType?.split(";")[0]?.trim().toLowerCase();
  if (type !== undefined && type !== "text/plain" && type !== "application/openmetrics-text")
    throw new KubeletError(`wrong content: ${type.slice(0, 80)} instead of metrics as text`, { hint: "something else than a kubelet answers there" });
  const reader = createPageReader({ wanted, onSample, maxBytes });
  for await (const chunk of inflated(answer, maxBytes)) if (!reader.push(chunk)) break;
  const counts = reader.end();
  if (counts.overBound) throw tooLarge(maxBytes);
  if (counts.lines === 0) throw new KubeletError("wrong content: an empty page");
}

const tooLarge = (maxBytes: number): KubeletError => new KubeletError(`too large: the page goes on after ${maxBytes / MIB} MiB and was not read further`);

/** The body as it was before compression. Bounds what comes in too: compressed bytes can inflate to nothing for ever. */
async function* inflated(answer: KubeletAnswer, maxBytes: number): AsyncGenerator<Uint8Array> {
  if (!answer.gzip) {
    yield* answer.body;
    return;
  }
  const gunzip = createGunzip();
  let failure: unknown;
  // Not waited for: a body that stands still would hold it, and the caller's signal ends that.
  pipeline(bounded(answer.body, maxBytes), gunzip).catch((error: unknown) => {
    failure = error;
  });
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) yield chunk; // typed as any by node
  } catch (error) {
    throw failure ?? error;
  } finally {
    gunzip.destroy();
  }
}

async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}
