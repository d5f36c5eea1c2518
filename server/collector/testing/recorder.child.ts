import { parseNodeName } from "../../domain/ids";
import { Recorder } from "../recording/recorder";
import { recordingHeader } from "./recordings";

/** Records for ever, and says after each judgement how many observations were handed over: `node child.mjs FILE`. */
const node = parseNodeName("node-1");
if (node === undefined) throw new Error("node-1 is a name");
const recorder = new Recorder({ file: process.argv[2] ?? "", header: recordingHeader(), maxBytes: 1024 ** 3, onFull: (failure) => { throw failure ?? new Error("full"); } });
let count = 0;
const round = (): void => {
  for (let at = 0; at < 200; at += 1) recorder.observe({ source: "kubelet", type: "failed", node, atMs: (count += 1), page: "metrics", reason: "x".repeat(at * 10) }, count);
  recorder.judged(count);
  process.stdout.write(`${count}\n`, () => setImmediate(round));
};
round();
