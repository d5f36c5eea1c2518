import path from "node:path";
import { parseArgs } from "node:util";
import { Sentence } from "../steps.mjs";

/** Measured without being asked for. */
const USUAL = ["start", "collector", "store", "ui"];
/** Measured where they are named: they need root and a containerd, or minutes of both cores. */
const ASKED = ["agents", "agent"];
export const PARTS = [...USUAL, ...ASKED];
const MAX_NODES = 5_000;
const MAX_MINUTES = 24 * 60;
const MAX_HOURS = 24;

export const BENCH_USAGE = `npm run bench -- [OPTIONS]

  --nodes 500                nodes of the fleet that is watched, stored and shown, 1 to ${MAX_NODES}
  --agents 5000              agents that come back at once (part agents), 1 to ${MAX_NODES}
  --minutes 3                how long the collector is measured, after a warm-up; above 0, up to ${MAX_MINUTES}
  --hours 6                  history that the store is filled with; above 0, up to ${MAX_HOURS}
  --only ${USUAL.join(",")}  parts to measure; also agents (5,000 that come back at once) and agent (what one costs its node)
  --json FILE                write the figures there too
  --write-docs               put the table into docs/operate/performance.md
`;

function number(name, text, most, whole) {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value > 0 && value <= most && (!whole || Number.isInteger(value))) return value;
  throw new Sentence(`--${name} is "${text}": it must be a ${whole ? "whole " : ""}number above 0 and at most ${most}.`);
}

/** "help", or the options. A Sentence names option, value and limit of what cannot be used. */
export function benchOptions(args) {
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: { nodes: { type: "string", default: "500" }, minutes: { type: "string", default: "3" }, hours: { type: "string", default: "6" }, agents: { type: "string", default: "5000" }, only: { type: "string" }, json: { type: "string" }, "write-docs": { type: "boolean", default: false }, help: { type: "boolean", default: false } },
    }));
  } catch (error) {
    throw new Sentence(`${error.message}\n\n${BENCH_USAGE}`);
  }
  if (values.help) return "help";
  const only = values.only?.split(",").map((name) => name.trim()) ?? USUAL;
  const unknown = only.find((name) => !PARTS.includes(name));
  if (unknown !== undefined) throw new Sentence(`--only is "${values.only}": the parts are ${PARTS.join(", ")}.`);
  if (values["write-docs"] && !only.every((name) => ASKED.includes(name)) && (USUAL.some((name) => !only.includes(name)) || only.length > USUAL.length)) throw new Sentence("--write-docs needs every part: leave --only away, or the page would lose figures. agents and agent have tables of their own: name them alone.");
  const sizes = { nodes: number("nodes", values.nodes, MAX_NODES, true), minutes: number("minutes", values.minutes, MAX_MINUTES, false), hours: number("hours", values.hours, MAX_HOURS, false) };
  return {
    ...sizes,
    agents: number("agents", values.agents, MAX_NODES, true),
    only: PARTS.filter((name) => only.includes(name)),
    writeDocs: values["write-docs"],
    // What makes the figures, without where they go: a path of this machine is nobody else's business.
    command: `npm run bench -- ${Object.entries(sizes).map(([name, value]) => `--${name} ${value}`).join(" ")}${values.only === undefined ? "" : ` --only ${values.only}`}`,
    ...(values.json === undefined ? {} : { json: path.resolve(values.json) }),
  };
}
