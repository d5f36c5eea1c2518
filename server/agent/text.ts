import type { AgentReport } from "../domain/agent-report";
import { laterLines } from "./text-later";

/** A report for a person at a terminal. Text from the node is shown without control characters. */
export function reportAsText(report: AgentReport): string {
  const { runtime, sandboxes, sockets, config } = report;
  const lines = [`node ${report.node}, ${new Date(report.atMs).toISOString()}, agent ${report.agentVersion}`];
  if (runtime.looked) {
    lines.push(`runtime   ${runtime.reading.name} ${runtime.reading.version}`);
    for (const { type, status, reason, message } of runtime.reading.conditions) lines.push(`          ${type}: ${status ? "true" : "false"} ${[reason, message].filter((text) => text !== "").join(": ")}`.trimEnd());
  } else lines.push(`runtime   could not look: ${runtime.reason}`);
  if (sandboxes.looked) {
    const ready = sandboxes.items.filter((sandbox) => sandbox.ready).length;
    lines.push(`sandboxes ${String(ready)} ready, ${String(sandboxes.items.length - ready)} dead${sandboxes.truncated ? " (list cut short)" : ""}, listed in ${sandboxes.tookSeconds.toFixed(3)} s`);
  } else lines.push(`sandboxes could not look: ${sandboxes.reason}`);
  if (sockets.looked) {
    for (const { name, path, state, detail } of sockets.items) lines.push(`socket    ${name} ${path}: ${state}${detail === undefined ? "" : ` (${detail})`}`);
    for (const { name, path, reason } of sockets.unseen ?? []) lines.push(`socket    ${name} ${path}: could not look: ${reason}`);
  } else lines.push(`sockets   could not look: ${sockets.reason}`);
  if (config.looked) {
    const { dir, effectiveFile, pluginTypes, missingBinaries, binaryProblems, fileProblems, binDirs } = config.reading;
    lines.push(`config    ${dir}: ${effectiveFile === undefined ? "no usable file" : `${effectiveFile} (${pluginTypes.join(", ")})`}; plugins in ${binDirs.join(", ")}`);
    if (missingBinaries.length > 0) lines.push(`          missing: ${missingBinaries.join(", ")}`);
    for (const problem of [...(binaryProblems ?? []), ...(fileProblems ?? [])]) lines.push(`          ${problem}`);
  } else lines.push(`config    could not look: ${config.reason}`);
  lines.push(...laterLines(report));
  return `${lines.map(printable).join("\n")}\n`;
}

const printable = (line: string): string => line.replace(/[\u0000-\u001f\u007f-\u009f]/g, "?");
