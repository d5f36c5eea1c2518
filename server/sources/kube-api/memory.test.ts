import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const PODS = 20_000;
const MAX_BYTES_PER_POD = 512;

describe("the kept state", () => {
  it(`of ${PODS} real pods costs at most ${MAX_BYTES_PER_POD} bytes of heap each, the watch's own note of it and its place in a map included`, async () => {
    const dir = await mkdtemp(path.join(os.tmpdir(), "sandglass-heap-"));
    try {
      const script = path.join(dir, "heap.mjs");
      await build({ entryPoints: [path.join(import.meta.dirname, "testing/heap-per-pod.ts")], bundle: true, platform: "node", format: "esm", outfile: script, logLevel: "error" });
      // One thread: what the engine compiles beside the program would come into the heap at a time of its own.
      const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "--single-threaded", script, path.join(import.meta.dirname, "recorded/objects/minikube-1.35.json.gz"), String(PODS)]);
      const { bytesPerPod, pods } = JSON.parse(stdout) as { bytesPerPod: number; pods: number };
      expect(pods).toBe(PODS);
      expect(bytesPerPod).toBeGreaterThan(100); // it measures something
      expect(bytesPerPod).toBeLessThanOrEqual(MAX_BYTES_PER_POD);
      console.log(`${Math.round(bytesPerPod)} bytes a pod`);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
