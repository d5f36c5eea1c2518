import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { DEFAULT_THRESHOLDS } from "../../domain/thresholds";
import { RECORDING_FORMAT, RECORDING_VERSION, type RecordingHeader, type RecordingLine } from "../recording/format";
import { readRecording, type Found } from "../recording/read";

export const recordingHeader = (over: Partial<RecordingHeader> = {}): RecordingHeader => ({
  format: RECORDING_FORMAT, version: RECORDING_VERSION, by: "0.0.0",
  cluster: { uid: "u", name: "test", server: "https://127.0.0.1:1", user: "me", simulated: true },
  clock: { startedMs: 0, rate: 1 },
  settings: { thresholds: DEFAULT_THRESHOLDS, cniDaemons: [], expects: { kubelet: true, agents: true } },
  ...over,
});

/** A folder that goes with `remove`. */
export function tempFolder(): { readonly path: string; file(name: string): string; remove(): void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-recording-"));
  return { path: folder, file: (name) => path.join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function readAll(file: string): Promise<{ readonly header: RecordingHeader; readonly lines: readonly RecordingLine[]; readonly found: Found }> {
  const { header, lines, found } = await readRecording(file);
  const all: RecordingLine[] = [];
  for await (const line of lines) all.push(line);
  return { header, lines: all, found };
}
