import { writeSync } from "node:fs";
import { prepareFile } from "../file";
import { openIngest } from "../ingest";
import { lockFile } from "../lock";
import { openReader } from "../reader";
import { openState } from "../state";
import { entry, permit, run } from "./actions";
import { SAMPLES_PER_BATCH, loadBatch, runId } from "./load";

/**
 * What tests run in a process of its own, to kill it or to give it fewer rights. Every line on standard output is
 * written before the next thing is done, so a line that arrived is an acknowledgement.
 */
const say = (line: unknown): void => {
  writeSync(1, `${typeof line === "string" ? line : JSON.stringify(line)}\n`);
};
const [command, file = "", ...rest] = process.argv.slice(2);

/** Writes numbered batches, each said once it is in the file, until it is killed. */
function load(): void {
  let next = Number(rest[0]);
  const ingest = openIngest({ file, nowMs: Date.now() });
  for (;;) {
    const batch = loadBatch(next);
    ingest.write(batch);
    say(String(next));
    next += 1;
    ingest.maintain(batch.atMs);
  }
}

/** Starts numbered runs, each said once it is stored, until it is killed. */
async function runs(): Promise<void> {
  const state = openState({ file });
  for (let next = Number(rest[0]); ; next += 1) {
    const id = runId(next);
    const { started } = await state.startRun(permit, entry(id), run(id));
    say(`${next} ${started}`);
  }
}

/** Takes the collector's lock and keeps it until it is killed. */
function lock(): void {
  try {
    lockFile(file, Date.now());
    say("locked");
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return;
  }
  setInterval(() => undefined, 60_000);
}

/** Reads and tries to write as a user who may not; says what each came to. */
function tryBoth(): void {
  const attempt = (name: string, run: () => unknown): void => {
    try {
      say({ name, result: run() ?? null });
    } catch (error) {
      say({ name, error: error instanceof Error ? { name: error.name, message: error.message, ...("code" in error ? { code: error.code } : {}), ...("reason" in error ? { reason: error.reason } : {}) } : String(error) });
    }
  };
  attempt("prepare", () => prepareFile(JSON.parse(rest[0] ?? "") as Parameters<typeof prepareFile>[0])); // the test's own options
  attempt("read", () => {
    const reader = openReader({ file });
    const told = { rows: reader.fleet().rows.length, copyReason: reader.copyReason };
    reader.close();
    return told;
  });
  attempt("write", () => {
    const ingest = openIngest({ file, nowMs: Date.now() });
    try {
      return { views: ingest.loadViews().length, written: ingest.write(loadBatch(0)) };
    } finally {
      ingest.close();
    }
  });
}

const commands: Readonly<Record<string, () => unknown>> = { load, runs, lock, try: tryBoth };
const chosen = commands[command ?? ""];
if (chosen === undefined) throw new Error(`no command ${command}; a batch has ${SAMPLES_PER_BATCH} samples`);
await chosen();
