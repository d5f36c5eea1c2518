import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { clockOf, systemClock, type Clock } from "../clock";
import { startCollector, type Collector } from "../collector/collector";
import { RECORDING_FORMAT, RECORDING_VERSION, type RecordingEnd } from "../collector/recording/format";
import { nowhere } from "../collector/recording/nowhere";
import { Recorder, type Tap } from "../collector/recording/recorder";
import { ConfigError, type ServeConfig } from "../config";
import { bytesWords, countWords } from "../domain/words";
import { createLog, type Log } from "../log";
import type { CommandIo } from "../main";
import { PRODUCT_VERSION } from "../version";
import { clusterLine, configuredCluster, type ChosenCluster } from "./choose-cluster";
import { createProgress } from "./progress";
import { recordOptions, type RecordOptions } from "./record-options";
import { simulatedCluster, type Past, type SimulatedCluster } from "./simulated-cluster";

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

const HELP = `Usage: sandglass record --out FILE [OPTIONS]

Writes what Sandglass sees of a cluster into a file, one line of JSON each, for \`sandglass replay\`. Nothing is served or
changed, and no data file is touched. Ends after --minutes, at --max-mib, or by Ctrl-C.

  --out FILE                where to; must not exist yet
  --minutes 30              how long, by the cluster's clock
  --max-mib 512             how large the file may become
  --simulate                a pretend cluster; with --nodes, --scenario, --speed, --seed
  --past-minutes 0          of a simulated cluster: its past too
  --data DIR                where the agents' tokens and authority are, default ./data  (SANDGLASS_DATA)

  --kubeconfig, --context, --kubelet, --kubelet-address, --kubelet-ca, --kubelet-tls, --cni-daemon, --agent-port,
  --agent-host, --agent-name, --stuck-after-seconds, --window-seconds, --log-level: as for serve
`;

/** Records a cluster until the time is over, the file is full, or somebody ends it. Returns the exit code. */
export async function record(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes("--help")) {
    io.stdout.write(HELP);
    return 0;
  }
  const options = recordOptions(args, io.env);
  const log = createLog(options.serve.logLevel, "recorder");
  const ending: (() => Promise<void> | void)[] = [];
  try {
    const { cluster, simulated, config } = await chosen(options.serve, io, log, ending);
    const clock = simulated === undefined ? systemClock : clockOf(simulated.clockSetting);
    return await recordCluster({ options, config, cluster, simulated, clock, log, io, ending });
  } finally {
    for (const end of ending.splice(0).reverse()) {
      try {
        await end();
      } catch (err) {
        log.error({ err }, "while stopping");
      }
    }
  }
}

interface Chosen {
  readonly cluster: ChosenCluster;
  readonly simulated: SimulatedCluster | undefined;
  readonly config: ServeConfig;
}

async function chosen(config: ServeConfig, io: CommandIo, log: Log, ending: (() => Promise<void> | void)[]): Promise<Chosen> {
  if (!config.simulate) {
    const cluster = await configuredCluster(config, io.env, io.signal);
    if (cluster === undefined) throw new ConfigError("No cluster is configured. Give a kubeconfig with --kubeconfig, or record a pretend cluster with --simulate.");
    ending.push(() => cluster.connection.close());
    return { cluster, simulated: undefined, config };
  }
  // A folder of its own: the files of a simulated cluster that is served meanwhile are not this one's to clear away.
  const data = mkdtempSync(path.join(os.tmpdir(), "sandglass-record-"));
  ending.push(() => rmSync(data, { recursive: true, force: true }));
  const simulated = await simulatedCluster({ ...config, data }, log);
  ending.push(() => simulated.stop());
  ending.push(() => simulated.connection.close());
  return { cluster: simulated, simulated, config: simulated.config };
}

interface Session extends Chosen {
  readonly options: RecordOptions;
  readonly clock: Clock;
  readonly log: Log;
  readonly io: CommandIo;
  readonly ending: (() => Promise<void> | void)[];
}

async function recordCluster({ options, config, cluster, simulated, clock, log, io, ending }: Session): Promise<number> {
  const progress = createProgress(io.stdout);
  progress.say(clusterLine(cluster, false));
  const past = simulated === undefined || options.pastMinutes === 0 ? undefined : simulated.past(options.pastMinutes * MINUTE_MS);
  const ended = new Ended(io.signal);
  const recorder = new Recorder({
    file: options.out,
    maxBytes: options.maxMib * MIB,
    onFull: (failure) => ended.by(failure ?? "size"),
    header: {
      format: RECORDING_FORMAT, version: RECORDING_VERSION, by: PRODUCT_VERSION,
      cluster: cluster.identity,
      clock: { startedMs: past?.fromMs ?? clock.now(), rate: clock.rate },
      settings: { thresholds: { stuckAfterSeconds: config.stuckAfterSeconds, windowSeconds: config.windowSeconds }, cniDaemons: config.cniDaemon, expects: { kubelet: true, agents: config.agentPort !== undefined } },
    },
  });
  let because: RecordingEnd = "stopped";
  try {
    if (past !== undefined) await progress.step("Recording the past", () => recordPast(past, recorder, ended));
    const collector = await startCollector({ config, connection: cluster.connection, identity: cluster.identity, ingest: nowhere(), clock, log, pastComing: false, onWritten: () => {}, tap: past === undefined ? recorder : afterPast(recorder) });
    ending.push(() => collector.stop());
    if (simulated !== undefined) await startAgents(simulated, collector);
    progress.say(`Recording to ${options.out} for ${countWords(options.minutes, "minute")}, up to ${bytesWords(options.maxMib * MIB)}. Ctrl-C ends it.`);
    const cancel = clock.after(options.minutes * MINUTE_MS, () => ended.by("time"));
    because = await ended.promise;
    cancel();
  } finally {
    recorder.end(because, clock.now());
  }
  const why = { time: "The time is over", size: "The file is as large as it may be", stopped: "Ended" }[because];
  const left = recorder.leftOut === 0 ? "" : ` ${countWords(recorder.leftOut, "observation")} that would have made too long a line ${recorder.leftOut === 1 ? "is" : "are"} missing.`;
  progress.say(`${why}: ${countWords(recorder.observations, "observation")}, ${bytesWords(recorder.bytes)} in ${options.out}.${left}`);
  return 0;
}

/** What ends a recording, the first of it. */
class Ended {
  readonly promise: Promise<RecordingEnd>;
  #settle: (how: RecordingEnd | Error) => void = () => {};
  #isOver = false;

  constructor(signal: AbortSignal) {
    this.promise = new Promise((resolve, reject) => {
      this.#settle = (how) => (typeof how === "string" ? resolve(how) : reject(how));
    });
    // Whoever waits is told; where nobody waits yet, the one who then does.
    this.promise.catch(() => {});
    if (signal.aborted) this.by("stopped");
    signal.addEventListener("abort", () => this.by("stopped"));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  by(how: RecordingEnd | Error): void {
    this.#isOver = true;
    this.#settle(how);
  }
}

const PAUSE_EVERY = 500;

/** Each moment of the past was judged before the next came, as the live collector would have. */
async function recordPast({ observations, fromMs }: Past, recorder: Recorder, ended: Ended): Promise<void> {
  let nowMs = fromMs;
  let count = 0;
  for (const observation of observations) {
    if (ended.isOver) return;
    if (observation.atMs > nowMs) {
      recorder.judged(nowMs);
      nowMs = observation.atMs;
    }
    recorder.observe(observation, nowMs);
    count += 1;
    if (count % PAUSE_EVERY === 0) await new Promise((resolve) => setImmediate(resolve)); // Ctrl-C gets its turn
  }
  recorder.judged(nowMs);
}

/** A watch that begins knows nothing yet; after a past that was recorded too, that would look as if what is known had been lost. */
const afterPast = (recorder: Recorder): Tap => ({
  judged: (atMs) => recorder.judged(atMs),
  observe: (observation, receivedMs) => {
    const begins = observation.type === "kind-status" && observation.status.state === "listing" && observation.status.lastMs === undefined;
    if (!begins) recorder.observe(observation, receivedMs);
  },
});

async function startAgents(simulated: SimulatedCluster, collector: Collector): Promise<void> {
  if (collector.agentListener === undefined || collector.agentCaFile === undefined) return;
  await simulated.startAgents({ port: collector.agentListener.port, caFile: collector.agentCaFile });
}
