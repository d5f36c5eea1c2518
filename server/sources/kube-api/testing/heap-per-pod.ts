import { gunzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { makeProjector } from "../project";

const WARM_UP = 5_000;

/**
 * Run by itself with --expose-gc: projects as many pods as a large cluster has, each from its own parsed JSON as a watch
 * would, keeps the results by uid as a consumer would, and prints the bytes of heap that one costs.
 */
const [file = "", count = "0"] = process.argv.slice(2);
const recorded = JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as { "pods.json": { items: { metadata: { name: string; uid: string; namespace: string }; spec: { nodeName: string } }[] } };
const texts = recorded["pods.json"].items.map((pod) => JSON.stringify(pod));
const projector = makeProjector({ isDaemonPod: () => false });
const collect = globalThis.gc;
if (collect === undefined) throw new Error("run it with --expose-gc");

const project = (index: number) => {
  const raw = JSON.parse(texts[index % texts.length] ?? "") as (typeof recorded)["pods.json"]["items"][number];
  raw.metadata.uid = `${index.toString(16).padStart(8, "0")}-ce78-41e2-9d8d-d93a88e481d6`;
  raw.metadata.name = `${raw.metadata.name}-${index.toString(36)}`;
  raw.metadata.namespace = `team-${index % 200}`;
  raw.spec.nodeName = `ip-10-0-${index % 250}-${index % 20}.eu-central-1.compute.internal`;
  return projector.pod(raw);
};
for (let index = 0; index < WARM_UP; index++) project(index); // the code itself is not counted, nor what the engine makes of it
const kept = new Map<string, unknown>();
const known = new Set<string>(); // what the watch itself keeps
collect();
collect();
const before = process.memoryUsage().heapUsed;
for (let index = 0; index < Number(count); index++) {
  const pod = project(index);
  if (pod === undefined) throw new Error("a recorded pod was not usable");
  kept.set(pod.uid, pod);
  known.add(pod.uid);
}
collect();
collect();
process.stdout.write(JSON.stringify({ bytesPerPod: (process.memoryUsage().heapUsed - before) / kept.size, pods: known.size }));
