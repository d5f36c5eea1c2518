import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { inRoot, PROJECT_NODE } from "./paths.mjs";
import { executable } from "./install.mjs";
import { clusterCache, goCaches } from "./real-cluster.mjs";
import { run } from "./steps.mjs";

/** What leads to a person's own clusters, accounts or proxies, and what belongs to the npm that called us. */
const REMOVED = /^(KUBE\w*|KUBERNETES_\w*|SANDGLASS_\w*|XDG_\w*|npm_\w*|(https?|ftp|all|no)_proxy|AWS_\w*|GOOGLE_\w*|AZURE_\w*|SSH_\w*|NODE_OPTIONS|INIT_CWD)$/i;

/** A folder for this run with an empty home, a place for temporary files, and the environment that the tests get. */
export async function testEnvironment({ chromium }) {
  // Short: a test cluster keeps Unix sockets in it, whose paths may have about 100 characters.
  const folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-test-"));
  chmodSync(folder, 0o755); // tests step down to a user without rights, who must still find what is meant for it
  const home = path.join(folder, "home");
  const temporary = path.join(folder, "tmp");
  for (const made of [home, temporary]) mkdirSync(made);
  // Tests that give up root's rights still have to reach their own files.
  chmodSync(folder, 0o711);
  chmodSync(temporary, 0o1777);
  const kept = Object.fromEntries(Object.entries(process.env).filter(([name]) => !REMOVED.test(name)));
  const egress = path.join(folder, "egress.jsonl");
  return {
    folder,
    egress,
    env: {
      ...kept,
      HOME: home,
      TMPDIR: temporary,
      PATH: `${path.dirname(PROJECT_NODE)}${path.delimiter}${process.env.PATH ?? ""}`,
      TZ: "UTC",
      NEXT_TELEMETRY_DISABLED: "1",
      CHECKPOINT_DISABLE: "1",
      SANDGLASS_CLUSTER_CACHE: clusterCache(),
      PLAYWRIGHT_BROWSERS_PATH: process.env.PLAYWRIGHT_BROWSERS_PATH ?? path.join(os.homedir(), ".cache/ms-playwright"),
      ...(await goCaches()),
      ...(chromium === undefined ? {} : { CHROMIUM_PATH: chromium }),
      NODE_OPTIONS: `--import=${pathToFileURL(inRoot("server/dev/egress-guard.mjs")).href}`,
      SANDGLASS_TEST_EGRESS: egress,
    },
  };
}

const NAMESPACES = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

/** Why the tests cannot have a network of their own; undefined where they can. */
export async function noNamespace() {
  if (process.platform !== "linux") return "this is no Linux";
  if (process.getuid?.() !== 0) return "that needs root";
  const folders = (process.env.PATH ?? "").split(":");
  for (const program of ["unshare", "ip"]) if (!folders.some((folder) => executable(path.join(folder, program)))) return `${program} is missing`;
  const { code, output } = await run("unshare", [...NAMESPACES, "--", "ip", "link", "set", "lo", "up"]);
  return code === 0 ? undefined : output.trim().split("\n").at(-1);
}

/** The command line that runs `command` where nothing but loopback can be reached, and what it tried is written down. */
export const inNamespace = (folder, command) => ["unshare", [...NAMESPACES, "--", "bash", inRoot("server/dev/test-namespace.sh"), folder, ...command]];

/** What the run tried to reach beyond this machine, one line each. */
export function contacted({ folder, egress }) {
  const lines = (file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter((line) => line !== "") : []);
  const byNode = lines(egress).map((line) => {
    const { what, host, process: argv, stack } = JSON.parse(line);
    return `${what} ${host}, by ${argv.join(" ")}\n${(stack ?? []).join("\n")}`;
  });
  return [
    ...byNode,
    ...[...new Set(lines(path.join(folder, "names")))].map((name) => `look-up of the name ${name}`),
    ...lines(path.join(folder, "addresses")).map((address) => `packets for ${address}`),
  ];
}

export const networkOf = () => (process.platform === "linux" ? readlinkSync("/proc/self/ns/net") : "");
