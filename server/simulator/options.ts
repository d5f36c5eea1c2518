import { parseArgs } from "node:util";
import { z } from "zod";
import { CAUSE_SCENARIOS, CAUSE_SCENARIO_NAMES } from "./causes";
import { SCENARIO_NAMES, SCENARIOS } from "./scenarios";

export const MAX_NODES = 5_000;
export const MAX_SPEED = 600;
export const DEFAULT_NODES = 24;

const wholeNumber = (name: string, low: number, high: number) =>
  z.coerce.number({ error: `--${name} must be a number` }).int(`--${name} must be a whole number`).min(low, `--${name} must be at least ${low}`).max(high, `--${name} must be at most ${high}`);

/** Given together or not at all: an address without a token, or a token without an authority, is a mistake. */
const AGENT_OPTIONS = ["agents-url", "agents-ca", "agents-tokens"] as const;

export const SimulateOptions = z.object({
  nodes: wholeNumber("nodes", 1, MAX_NODES).default(DEFAULT_NODES),
  scenario: z.enum(SCENARIO_NAMES, { error: `--scenario must be one of ${SCENARIO_NAMES.join(", ")}` }).default("demo"),
  /** How many seconds of the cluster pass in one of ours. */
  speed: z.coerce.number({ error: "--speed must be a number" }).positive("--speed must be above 0").max(MAX_SPEED, `--speed must be at most ${MAX_SPEED}`).default(1),
  seed: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, "--seed must be 1 to 64 letters, digits, dots, dashes or underscores").default("1"),
  /** Port of the API server; 0 takes a free one. Kubelets always take free ones. */
  port: wholeNumber("port", 0, 65_535).default(0),
  /** Where the kubeconfig is written; a folder of its own under the system's temporary folder where absent. */
  kubeconfig: z.string().min(1, "--kubeconfig needs a path").optional(),
  /** The listener that an agent on each node pushes to. */
  "agents-url": z.url({ protocol: /^https$/, error: "--agents-url must be an https:// address" }).optional(),
  /** The authority of that listener, a file. */
  "agents-ca": z.string().min(1, "--agents-ca needs a path").optional(),
  /** A folder with one file NODE.token for each node that shall have an agent. */
  "agents-tokens": z.string().min(1, "--agents-tokens needs a path").optional(),
}).superRefine((options, ctx) => {
  const missing = AGENT_OPTIONS.find((name) => options[name] === undefined);
  if (missing === undefined || AGENT_OPTIONS.every((name) => options[name] === undefined)) return;
  ctx.addIssue({ code: "custom", path: [missing], message: `--${missing} must be given too, as ${AGENT_OPTIONS.map((name) => `--${name}`).join(", ")} go together` });
});
export type SimulateOptions = z.infer<typeof SimulateOptions>;

const CAUSE_NAME_CHARS = 24;

export const SIMULATE_USAGE = `Usage: sandglass simulate [OPTIONS]

Starts a pretend Kubernetes cluster on loopback: an API server, kubelets, and the files to reach them.

  --nodes N          1 to ${MAX_NODES} (${DEFAULT_NODES})
  --scenario NAME    ${SCENARIOS.join(" | ")} (demo), or the story of one cause, below
  --speed N          seconds of the cluster in one of ours, up to ${MAX_SPEED} (1)
  --seed TEXT        the same seed gives the same cluster (1)
  --port N           port of the API server; 0 takes a free one (0)
  --kubeconfig FILE  where to write the kubeconfig (a temporary folder)
  --agents-url URL --agents-ca FILE --agents-tokens DIR
                     agents push to this listener of a collector: the authority that it shows, and a folder
                     with one file NODE.token for each node that has an agent (both lie in DATA/agents)

Scenarios of one cause, which befall one node:

${CAUSE_SCENARIO_NAMES.map((name) => `  ${name.padEnd(CAUSE_NAME_CHARS)} ${CAUSE_SCENARIOS[name].what}`).join("\n")}
`;

export class SimulateUsageError extends Error {}

/** Throws SimulateUsageError with one sentence that names option, value and limit; "help" where that is asked for. */
export function parseSimulateOptions(args: readonly string[]): SimulateOptions | "help" {
  let values: Record<string, string | boolean | undefined>;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        nodes: { type: "string" }, scenario: { type: "string" }, speed: { type: "string" }, seed: { type: "string" }, port: { type: "string" }, kubeconfig: { type: "string" },
        "agents-url": { type: "string" }, "agents-ca": { type: "string" }, "agents-tokens": { type: "string" }, help: { type: "boolean" },
      },
    }));
  } catch (error) {
    throw new SimulateUsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  if (values["help"] === true) return "help";
  const parsed = SimulateOptions.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const given = values[String(issue?.path[0] ?? "")];
  throw new SimulateUsageError(`${issue?.message ?? "wrong options"}${given === undefined ? "" : `, not "${String(given).slice(0, 80)}"`}`);
}
