import type { Replayed } from "../collector/recording/replay-recording";
import type { StoryEntry } from "../collector/recording/story";
import { allFiring } from "../domain/causes/diagnose";
import type { Incident } from "../domain/incident/types";
import type { NodeView } from "../domain/node-view";
import { countWords, durationWords, listWords, numberWords } from "../domain/words";
import { firstLine } from "../sources/kube-api/text";

/** Schema of the JSON. Raised when something is taken away or changes its meaning. */
const SCHEMA = "sandglass/replay";
const VERSION = 1;
const MAX_LINE_CHARS = 400;

export const isoTime = (ms: number): string => new Date(ms).toISOString();
const time = (ms: number): string => `${isoTime(ms).slice(0, 10)} ${isoTime(ms).slice(11, 19)}`;
/** A recording may come from anywhere, and a terminal acts on some of what a text can hold. */
const line = (text: string): string => firstLine(text, MAX_LINE_CHARS);

/** What a replay came to, for programs. Times are ISO 8601. */
export function replayAsJson(replayed: Replayed) {
  const { header, settings, found, story } = replayed;
  return {
    schema: SCHEMA,
    version: VERSION,
    recording: {
      by: header.by, cluster: header.cluster, from: isoTime(replayed.fromMs), to: isoTime(replayed.toMs), observations: replayed.observations, ended: found.end ?? "broke off",
      badLines: found.badLines, ...(found.firstBad === undefined ? {} : { firstBadLine: found.firstBad }),
    },
    settings,
    story: story.entries.map(({ atMs, ...entry }) => ({ at: isoTime(atMs), ...entry })),
    storyLeftOut: story.leftOut,
    incidents: replayed.incidents.map(({ incident, entries }) => ({
      id: incident.id,
      ...(incident.scope === "node" ? { scope: incident.scope, node: incident.node, ...(incident.fleet === undefined ? {} : { fleet: incident.fleet }) } : { scope: incident.scope, nodes: incident.nodes }),
      state: incident.state,
      severity: incident.severity,
      sign: isoTime(incident.signMs),
      ...(incident.openedMs === undefined ? {} : { opened: isoTime(incident.openedMs) }),
      ...(incident.closedMs === undefined ? {} : { closed: isoTime(incident.closedMs) }),
      causes: incident.causes.map(({ code, detail }) => ({ code, ...(detail === undefined ? {} : { detail }) })),
      entries: entries.map(({ atMs, ...entry }) => ({ at: isoTime(atMs), ...entry })),
    })),
    incidentsTruncated: replayed.incidentsTruncated,
    nodes: replayed.views.map(({ name, answer, causes }) => ({
      name,
      answer: { state: answer.state, atRisk: answer.atRisk, idle: answer.idle, since: isoTime(answer.sinceMs), summary: answer.summary },
      causes: causes.map(({ code, detail, certainty, severity, sinceMs, summary, consequences }) => ({
        code, certainty, severity, since: isoTime(sinceMs), summary, ...(detail === undefined ? {} : { detail }), consequences: consequences.map((one) => one.code),
      })),
    })),
  };
}

/** The same to read: the story line by line, then the incidents, then how the nodes stood at the end. Times are UTC. */
export function replayAsText(replayed: Replayed): string {
  const { header, found, story, fromMs, toMs } = replayed;
  const kind = header.cluster.simulated ? "simulated" : `at ${line(header.cluster.server)}`;
  const lines = [
    `${line(header.cluster.name)} (${kind}), ${time(fromMs)} to ${time(toMs)} UTC, ${durationWords((toMs - fromMs) / 1_000)}: ${countWords(replayed.observations, "observation")} of ${countWords(replayed.views.length, "node")}`,
    `Recorded by Sandglass ${line(header.by)}; ${ENDINGS[found.end ?? "broken"]}.`,
    "",
    ...story.entries.map(entryLine),
    ...(story.leftOut === 0 ? [] : [`… and ${numberWords(story.leftOut)} more`]),
    "",
    ...incidentLines(replayed),
    "",
    ...endLines(replayed.views),
  ];
  return `${lines.join("\n")}\n`;
}

const ENDINGS = { time: "it ended when its time was over", size: "it ended when its file was full", stopped: "somebody ended it", broken: "it broke off" } as const;

function entryLine(entry: StoryEntry): string {
  const start = `${time(entry.atMs)}  ${line(entry.node)}  `;
  if (entry.kind === "answer") return `${start}${markedState(entry)}: ${line(entry.text)}`;
  if (entry.kind === "gone") return `${start}${entry.text}`;
  const cause = causeWords(entry);
  if (entry.kind !== "cause") return entry.kind === "cause-ended" ? `${start}- ${cause}` : `${start}? ${cause}: ${line(entry.text)}`;
  return `${start}+ ${cause}, ${entry.certainty}${entry.under === undefined ? "" : `, by ${entry.under}`}: ${line(entry.text)}`;
}

const causeWords = ({ code, detail }: { readonly code: string; readonly detail?: string }): string => (detail === undefined ? code : `${code} (${line(detail)})`);
const markedState = ({ state, atRisk, idle }: { readonly state: string; readonly atRisk: boolean; readonly idle: boolean }): string => `${state}${atRisk ? ", at risk" : ""}${idle ? ", idle" : ""}`;

function incidentLines({ incidents, incidentsTruncated }: Replayed): readonly string[] {
  if (incidents.length === 0) return ["No incident."];
  return [
    `${countWords(incidents.length, "incident")}${incidentsTruncated ? ", the newest; there are more" : ""}:`,
    ...incidents.flatMap(({ incident, entries }) => [
      `  ${incident.id}  ${subjectOf(incident)}: ${incident.state}, ${incident.severity === "blocks" ? "pods do not start" : "pods may stop to start"}${incident.causes.length === 0 ? "" : `; ${listWords(incident.causes.map(causeWords), 5)}`}`,
      ...entries.map(({ atMs, text }) => `       ${time(atMs)}  ${line(text)}`),
    ]),
  ];
}

const subjectOf = (incident: Incident): string => (incident.scope === "node" ? line(incident.node) : `${countWords(incident.members, "node")} (${line(listWords(incident.nodes))})`);

function endLines(views: readonly NodeView[]): readonly string[] {
  const of = (state: string): number => views.filter(({ answer }) => answer.state === state).length;
  const notable = views.filter(({ answer, causes }) => answer.state !== "yes" || answer.atRisk || causes.length > 0);
  return [
    `At the end: ${of("yes")} yes, ${of("no")} no, ${of("unknown")} unknown.`,
    ...notable.flatMap((view) => [`  ${line(view.name)}  ${markedState(view.answer)}: ${line(view.answer.summary)}`, ...allFiring(view).map((cause) => `       ${causeWords(cause)}, ${cause.certainty}: ${line(cause.summary)}`)]),
  ];
}
