import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { MAX_BAD_LINES, readRecording } from "../collector/recording/read";
import { replayRecording, type Replayed, type ReplaySettings } from "../collector/recording/replay-recording";
import { ConfigError, logLevel, serveConfig, type Environment } from "../config";
import { createLog } from "../log";
import type { CommandIo } from "../main";
import { prepareFile } from "../store/file";
import { replayAsJson, replayAsText } from "./replay-output";

const HELP = `Usage: sandglass replay FILE [OPTIONS]

Runs a recording of \`sandglass record\` through what judges a live cluster, and prints answers, causes and incidents as they came.

  --output text             text or json
  --data DIR                keep the data file in this folder; else it goes at the end
  --stuck-after-seconds, --window-seconds, --cni-daemon: judge with these instead of what was recorded

Needs no cluster. The file may have broken off: what is whole of it is replayed.
`;

interface ReplayOptions {
  readonly recording: string;
  readonly output: "text" | "json";
  readonly data: string | undefined;
  /** Only what was given on the command line. */
  readonly settings: { readonly stuckAfterSeconds?: number; readonly windowSeconds?: number; readonly cniDaemons?: readonly string[] };
}

const Own = z.object({
  recording: z.string({ error: "Name the recording: sandglass replay FILE" }).min(1),
  output: z.enum(["text", "json"], { error: ({ input }) => `--output is "${String(input).slice(0, 40)}": it must be text or json` }),
  data: z.string().min(1, "--data names no folder").optional(),
});

export function replayOptions(args: readonly string[], env: Environment): ReplayOptions {
  const text = { type: "string" } as const;
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: { output: text, data: text, "stuck-after-seconds": text, "window-seconds": text, "cni-daemon": { type: "string", multiple: true } }, allowPositionals: true });
  } catch (cause) {
    throw new ConfigError(`${cause instanceof Error ? cause.message.split(". ")[0] : "The options cannot be read"}. Try --help.`, { cause });
  }
  const { values, positionals } = parsed;
  if (positionals.length > 1) throw new ConfigError(`Name one recording: "${(positionals[1] ?? "").slice(0, 80)}" is one too many.`);
  const own = Own.safeParse({ recording: positionals[0], output: values.output ?? "text", data: values.data });
  if (!own.success) throw new ConfigError(`${own.error.issues.map(({ message }) => message).join("; ")}.`);
  // Their limits are those of `serve`.
  const given = (["stuck-after-seconds", "window-seconds"] as const).flatMap((name) => (values[name] === undefined ? [] : [`--${name}=${values[name]}`]));
  const serve = serveConfig([...given, ...(values["cni-daemon"] ?? []).map((name) => `--cni-daemon=${name}`)], env);
  return {
    recording: own.data.recording,
    output: own.data.output,
    data: own.data.data,
    settings: {
      ...(values["stuck-after-seconds"] === undefined ? {} : { stuckAfterSeconds: serve.stuckAfterSeconds }),
      ...(values["window-seconds"] === undefined ? {} : { windowSeconds: serve.windowSeconds }),
      ...(values["cni-daemon"] === undefined ? {} : { cniDaemons: serve.cniDaemon }),
    },
  };
}

/** Replays a recording into a data file and prints what came of it. Returns the exit code. */
export async function replay(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes("--help")) {
    io.stdout.write(HELP);
    return 0;
  }
  const options = replayOptions(args, io.env);
  const recording = await readRecording(options.recording);
  const { header } = recording;
  const dataDir = options.data === undefined ? mkdtempSync(path.join(os.tmpdir(), "sandglass-replay-")) : path.resolve(options.data);
  try {
    // Never the file of the cluster itself: what is replayed is not what is so now.
    const clusterUid = `replayed-${createHash("sha256").update(JSON.stringify(header)).digest("hex").slice(0, 16)}`;
    const prepared = prepareFile({ dataDir, clusterUid, simulated: header.cluster.simulated, nowMs: header.clock.startedMs, migrationsDir: path.join(io.root, "prisma/migrations") });
    if (prepared.migrated.length === 0) throw new ConfigError(`This recording was replayed into ${prepared.file} before. Remove that file, or choose another folder with --data.`);
    const log = createLog(logLevel(io.env, "warn"), "replay");
    const replayed = await replayRecording({ recording, file: prepared.file, settings: settingsOf(header.settings, options.settings), log, signal: io.signal });
    io.stdout.write(options.output === "json" ? `${JSON.stringify(replayAsJson(replayed), undefined, 1)}\n` : replayAsText(replayed));
    if (options.data !== undefined) io.stderr.write(`The data file is ${prepared.file}.\n`);
    warn(replayed, io);
    return 0;
  } finally {
    if (options.data === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

const settingsOf = (recorded: ReplaySettings, given: ReplayOptions["settings"]): ReplaySettings => ({
  thresholds: { stuckAfterSeconds: given.stuckAfterSeconds ?? recorded.thresholds.stuckAfterSeconds, windowSeconds: given.windowSeconds ?? recorded.thresholds.windowSeconds },
  cniDaemons: given.cniDaemons ?? recorded.cniDaemons,
});

function warn({ found }: Replayed, io: CommandIo): void {
  if (found.end === undefined) io.stderr.write("WARNING: the recording broke off: what was seen after its last whole line is not in it.\n");
  if (found.badLines > 0) io.stderr.write(`WARNING: ${found.badLines} of at most ${MAX_BAD_LINES} lines could not be read and are not in this, the first is ${found.firstBad ?? ""}.\n`);
}
