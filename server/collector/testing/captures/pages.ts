import type { NodeName } from "../../../domain/ids";
import type { KubeletPage, Observation } from "../../../domain/observation";
import { CADVISOR_NAMES, createCadvisorCollector } from "../../../sources/kubelet/cadvisor-page";
import { createKubeletCollector, KUBELET_NAMES } from "../../../sources/kubelet/kubelet-page";
import { createPageReader, type PromSample } from "../../../sources/kubelet/prometheus-text";
import type { Capture } from "./capture";

type KubeletObservation = Observation & { readonly source: "kubelet" };

/** Reading one page at a moment; undefined where it was not captured. A page that did not come is told by the text of the failure. */
export function pageOf(capture: Capture, page: Exclude<KubeletPage, "configz">, suffix: string, wanted: (namespace: string, pod: string) => boolean): ((node: NodeName, atMs: number) => KubeletObservation) | undefined {
  const text = capture.files.get(`${page === "metrics" ? "kubelet" : "cadvisor"}-metrics${suffix}.txt`);
  if (text === undefined) return undefined;
  if (!/^(?:# (?:HELP|TYPE) |\w+\{)/m.test(text)) {
    const reason = text.trim();
    return (node, atMs) => ({ source: "kubelet", type: "failed", node, atMs, page, reason, timedOut: /deadline exceeded|timed? ?out/i.test(reason) });
  }
  if (page === "metrics") {
    const collector = createKubeletCollector();
    read(text, KUBELET_NAMES, collector.add);
    const metrics = collector.finish();
    return (node, atMs) => ({ source: "kubelet", type: "metrics", node, atMs, tookMs: 1, metrics });
  }
  const collector = createCadvisorCollector(wanted);
  read(text, CADVISOR_NAMES, collector.add);
  const metrics = collector.finish();
  return (node, atMs) => ({ source: "kubelet", type: "cadvisor", node, atMs, tookMs: 1, metrics });
}

function read(text: string, wanted: readonly string[], onSample: (sample: PromSample) => void): void {
  const reader = createPageReader({ wanted, onSample });
  reader.push(Buffer.from(text));
  reader.end();
}
