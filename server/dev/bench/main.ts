import { writeFileSync } from "node:fs";
import path from "node:path";
import { benchAgent } from "./agent";
import { benchAgents } from "./agents";
import { benchCollector } from "./collector";
import { writeBetweenMarks } from "./docs";
import { markdownTable, met, shown, textTable, type Figure, type Part } from "./figures";
import { describeMachine, machineLines, type Machine } from "./machine";
import { BenchOptions } from "./run-options";
import { benchStart } from "./start";
import { benchStore } from "./store";
import { benchUi } from "./ui";

/** A part gives its figures, or one sentence why it cannot be measured here. What fails throws: the other parts are measured, and the run has failed. */
type Measure = (options: BenchOptions, say: (line: string) => void) => Promise<readonly Figure[] | string>;
const MEASURES: Readonly<Record<Part, Measure>> = { start: benchStart, collector: benchCollector, store: benchStore, ui: benchUi, agents: benchAgents, agent: benchAgent };

const options = BenchOptions.parse(JSON.parse(process.argv[2] ?? ""));
const machine = await describeMachine(options.root, options.loadBefore);
const figures: Figure[] = [];
const skipped: string[] = [];
const failed: string[] = [];
for (const part of options.only) {
  try {
    const found = await MEASURES[part](options, (line) => process.stdout.write(`${part}: ${line} …\n`));
    if (typeof found === "string") skipped.push(`${part}: not measured, ${found}.`);
    else figures.push(...found.map(numbered));
  } catch (error) {
    failed.push(`${part}: FAILED, ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}
process.stdout.write(`\n${[...machineLines(machine), "", textTable(figures), ...skipped, ...failed].join("\n")}\n`);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(document(machine), undefined, 2)}\n`);
if (failed.length > 0) process.exitCode = 1;
else if (options.writeDocs) writeDocs();

/** The parts that are measured without being asked for share a table; each of the others has its own. */
function writeDocs(): void {
  const file = path.join(options.root, "docs/operate/performance.md");
  const own = options.only.filter((part) => part === "agents" || part === "agent");
  if (own.length === 0) return writeBetweenMarks(file, page(machine, figures));
  for (const part of own) writeBetweenMarks(file, page(machine, figures.filter((figure) => figure.part === part)), part);
}

function numbered(figure: Figure): Figure {
  if (!Number.isFinite(figure.value)) throw new Error(`"${figure.what}" gave no number`);
  return figure;
}

function document(on: Machine): unknown {
  const { command, nodes, minutes, hours } = options;
  return { command, nodes, minutes, hours, machine: on, figures: figures.map((figure) => ({ ...figure, shown: shown(figure), met: met(figure) })), skipped, failed };
}

function page(on: Machine, of: readonly Figure[]): string {
  const list = machineLines(on).map((line) => `- ${line}`).join("\n");
  return [`\`${options.command}\``, list, markdownTable(of), ...skipped].join("\n\n");
}
