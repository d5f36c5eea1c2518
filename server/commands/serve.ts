import path from "node:path";
import { clockOf, systemClock } from "../clock";
import { clusterEnvironment, encodeWebConfig, SERVE_OPTIONS, serveConfig, type ServeConfig } from "../config";
import { startCollector, type Collector } from "../collector/collector";
import { createLog, type Log } from "../log";
import type { CommandIo } from "../main";
import { openIngest } from "../store/ingest";
import { prepareFile } from "../store/file";
import type { CollectorStatus } from "../store/types";
import { PRODUCT_VERSION } from "../version";
import { clusterLine, configuredCluster, type ChosenCluster } from "./choose-cluster";
import { createProgress } from "./progress";
import { simulatedCluster, type SimulatedCluster } from "./simulated-cluster";
import { requireFreePort, startWebChild } from "./web-child";

const HOST = "127.0.0.1";
/** Everything is closed within this; what hangs longer is left to the end of the process. */
const STOP_TIMEOUT_MS = 6_000;

const HELP = `Usage: npm start -- [OPTIONS]

  --port 7400               port of the pages, on loopback            (SANDGLASS_PORT)
  --data DIR                folder of the data files, default ./data  (SANDGLASS_DATA)
  --simulate                watch a pretend cluster, whatever is configured
  --kubeconfig F            this kubeconfig; else KUBECONFIG, the default file, the pod's own account
  --context C               this context of it
  --allow-actions           let people change the cluster, each with the rights of the kubeconfig
  --kubelet MODE            auto, direct or proxy (through the API server)
  --kubelet-address N=URL   where node N's kubelet is reached; repeatable
  --kubelet-ca F            authority that signs the kubelets' certificates, if not the cluster's
  --kubelet-tls MODE        verify, pin (keep the key seen first) or insecure
  --cni-daemon NS/NAME      a DaemonSet that runs a CNI daemon, if not found by itself; repeatable
  --agent-port PORT         listen for node agents, off without it
  --agent-host H            address to listen on for them, default 127.0.0.1
  --agent-name NAME         name or address by which agents reach it; repeatable
  --agent-account NS/NAME   service account of agents in pods, default sandglass-agent/sandglass-agent; or none
  --agent-period-seconds 15 time between reports that agents are told, 1 to 15
  --metrics-port PORT       own metrics in Prometheus' format, off without it
  --stuck-after-seconds 90  a waiting pod is stuck from then on
  --window-seconds 600      how long a fresh sandbox proves that a node can start pods
  --log-level warn          debug, info, warn, error or silent        (SANDGLASS_LOG_LEVEL)
  --nodes, --scenario, --speed, --seed   of the simulated cluster
`;

/** Collects from one cluster and serves the pages until it is told to stop. Returns the exit code. */
export async function serve(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes("--help")) {
    io.stdout.write(HELP);
    return 0;
  }
  const config = serveConfig(args, io.env);
  const log = createLog(config.logLevel, "collector");
  const progress = createProgress(io.stdout);
  log.info({ config: { ...config, kubeletAddress: Object.fromEntries(config.kubeletAddress) }, options: Object.keys(SERVE_OPTIONS).length }, "starting");
  await requireFreePort(config.port, HOST);

  const ending: (() => Promise<void> | void)[] = [];
  try {
    const chosen = await progress.step("Finding the cluster", () => configuredCluster(config, io.env, io.signal));
    const simulated = chosen === undefined ? await progress.step("Starting the simulated cluster", () => simulatedCluster(config, log)) : undefined;
    if (simulated !== undefined) ending.push(() => simulated.stop());
    const cluster: ChosenCluster = chosen ?? asChosen(simulated);
    ending.push(() => cluster.connection.close());
    if (chosen === undefined && !config.simulate) progress.say(`No cluster is configured${clusterEnvironment(io.env).serviceHost === undefined ? "" : " (this pod has no token of a service account)"}, so this is the simulated one. Give a kubeconfig to watch a real one.`);
    const allowActions = config.allowActions || simulated !== undefined;
    progress.say(clusterLine(cluster, allowActions));
    if (config.kubeletTls === "insecure") progress.say("WARNING: kubelets' certificates are not checked (--kubelet-tls=insecure). Anyone on the network can pose as one.");

    const clockSetting = simulated?.clockSetting ?? { epochMs: 0, realMs: 0, rate: 1 };
    const clock = simulated === undefined ? systemClock : clockOf(clockSetting);
    const effective: ServeConfig = { ...(simulated?.config ?? config), allowActions };
    const { file } = await progress.step("Preparing the data file", () => prepare({ config: effective, cluster, simulated: simulated !== undefined, root: io.root, nowMs: clock.now(), say: progress.say }));
    const ingest = openIngest({ file, nowMs: clock.now() });
    ending.push(() => ingest.close());

    let notify: () => void = () => {};
    let tellUnwritten: (status: CollectorStatus | undefined) => void = () => {};
    const collector = await progress.step("Starting to collect", () => startCollector({ config: effective, connection: cluster.connection, identity: cluster.identity, ingest, clock, log, pastComing: simulated !== undefined, onWritten: () => notify(), onUnwritten: (status) => tellUnwritten(status) }));
    ending.push(() => collector.stop());
    log.info({ why: collector.kubeletWhy }, "kubelets");
    if (simulated !== undefined) await startAgents(simulated, collector);

    const web = await progress.step("Starting the pages", () =>
      startWebChild({
        root: io.root,
        preload: path.join(io.root, "dist/web-preload.mjs"),
        host: HOST,
        port: config.port,
        env: io.env,
        clock: systemClock,
        log,
        signal: io.signal,
        onEnded: () => collector.webEnded(),
        encodedConfig: encodeWebConfig({
          file, port: config.port, clock: clockSetting, logLevel: config.logLevel, version: PRODUCT_VERSION, actionsAllowed: allowActions,
          cluster: simulated === undefined ? { ...(config.kubeconfig === undefined ? {} : { kubeconfig: config.kubeconfig }), ...(config.context === undefined ? {} : { context: config.context }), uid: cluster.identity.uid } : { kubeconfig: simulated.kubeconfigFile, uid: simulated.serverUid },
        }),
      }),
    );
    notify = () => web.notify();
    tellUnwritten = (status) => web.tellUnwritten(status);
    ending.push(() => web.stop());
    progress.say(`\nSandglass is at http://localhost:${config.port}\n`);
    if (collector.agentListener !== undefined && simulated === undefined) progress.say(`Agents report to port ${collector.agentListener.port}; their authority is ${collector.agentCaFile ?? ""}`);
    if (simulated !== undefined) simulated.fill(collector);

    const stopped = new Promise<undefined>((resolve) => {
      if (io.signal.aborted || process.connected === false) resolve(undefined);
      io.signal.addEventListener("abort", () => resolve(undefined));
      // The runner that started us is gone: nobody is left to end us.
      process.once("disconnect", () => resolve(undefined));
    });
    const failure = await Promise.race([stopped, web.failed]);
    if (failure !== undefined) io.stderr.write(`sandglass: ${failure.message}\n`);
    return failure === undefined ? 0 : 1;
  } catch (error) {
    if (!io.signal.aborted) throw error;
    log.info({ err: error }, "told to stop while starting");
    return 0;
  } finally {
    await endAll(ending, log);
  }
}

function asChosen(simulated: SimulatedCluster | undefined): ChosenCluster {
  if (simulated === undefined) throw new Error("neither a cluster nor a simulated one"); // one of the two was made just above
  return simulated;
}

interface Preparing {
  readonly config: ServeConfig;
  readonly cluster: ChosenCluster;
  /** We made the cluster ourselves, so that its file ends with it. What a cluster says of itself is no reason to. */
  readonly simulated: boolean;
  readonly root: string;
  readonly nowMs: number;
  readonly say: (line: string) => void;
}

function prepare({ config, cluster, simulated, root, nowMs, say }: Preparing) {
  const prepared = prepareFile({ dataDir: config.data, clusterUid: cluster.identity.uid, simulated, nowMs, migrationsDir: path.join(root, "prisma/migrations") });
  for (const warning of prepared.warnings) say(`WARNING: ${warning}`);
  return prepared;
}

async function startAgents(simulated: SimulatedCluster, collector: Collector): Promise<void> {
  if (collector.agentListener === undefined || collector.agentCaFile === undefined) return;
  await simulated.startAgents({ port: collector.agentListener.port, caFile: collector.agentCaFile });
}

/** Last started, first ended; one that fails or hangs does not keep the others. */
async function endAll(ending: (() => Promise<void> | void)[], log: Log): Promise<void> {
  const late = setTimeout(() => {
    log.error("stopping took too long");
    process.exit(1);
  }, STOP_TIMEOUT_MS);
  for (const end of ending.splice(0).reverse()) {
    try {
      await end();
    } catch (err) {
      log.error({ err }, "while stopping");
    }
  }
  clearTimeout(late);
}
