import type { IncidentCauseOut, IncidentExport, StoryItemOut } from "../../contract/incidents";
import { markdownTable, markdownText as t } from "../export-markdown";

const STATE_WORDS = { open: "Open", unknown: "Unknown", recovering: "Recovering", closed: "Closed" } as const;
const LOOK_WORDS = { seen: "seen", "not-seen": "not seen", "could-not-look": "could not look" } as const;
const CAUSE_STATES = { firing: "fires", ended: "ended", unseen: "cannot be looked for" } as const;

/** The export as a page to read or to paste: how it stands, the story, causes with what they rest on, who was hurt, notes. Every text of the cluster and of people is escaped. */
export function incidentMarkdown({ incident, cluster, madeAt, madeBy }: IncidentExport): string {
  const lines: string[] = [
    `# ${t(incident.title)}`,
    "",
    t(incident.lead),
    "",
    `- Incident ${incident.id}, ${STATE_WORDS[incident.state].toLowerCase()} since ${incident.stateSince}${incident.closedBecause === "node-gone" ? " (the node left the cluster)" : ""}`,
    `- First sign ${incident.sign}, opened ${incident.opened}${incident.recovered === undefined ? "" : `, recovered ${incident.recovered}`}${incident.closed === undefined ? "" : `, closed ${incident.closed}`}`,
    `- ${incident.node === undefined ? `Nodes: ${t((incident.members?.nodes ?? []).join(", "))}` : `Node: ${t(incident.node)}, pool ${t(incident.pool ?? "not known")}`}`,
    `- Cluster: ${cluster === undefined ? "not known" : `${t(cluster.name)}${cluster.simulated ? " (simulated)" : ""}, ${t(cluster.version ?? "version not known")}`}`,
    `- Made: ${madeAt} by ${t(madeBy)}`,
    ...(incident.natureWords === undefined ? [] : [`- ${t(incident.natureWords)}`]),
    ...(incident.acknowledged === undefined ? ["- Nobody has acknowledged it"] : [`- Acknowledged by ${t(incident.acknowledged.by)} at ${incident.acknowledged.at}`]),
    ...(incident.relapses + incident.reopened === 0 ? [] : [`- Came back ${incident.relapses} times before recovery had held, and ${incident.reopened} times after it had closed`]),
    "",
    ...(incident.shared === undefined ? [] : ["## What the sick nodes share", "", t(incident.shared.words), "", ...markdownTable(["Trait", "Value", "Sick", "Well", "By chance"], incident.shared.traits.map((trait) => [t(trait.trait), t(trait.value), `${trait.sick} of ${trait.sickKnown}`, `${trait.well} of ${trait.wellKnown}`, trait.chance.toExponential(1)]))]),
    "## Story",
    "",
    ...markdownTable(["When", "Until", "What", "Detail"], incident.story.map((item) => [item.at, item.until ?? "", t(item.title), t(detailOf(item))])),
    ...(incident.storyTruncated ? ["The middle of the story is left out.", ""] : []),
    ...incident.story.flatMap(attemptLines),
    ...incident.story.flatMap(diffLines),
    "## Causes",
    "",
    ...(incident.allCauses.length === 0 ? ["None was named or suspected.", ""] : incident.allCauses.flatMap(causeLines)),
    "## Who was hurt",
    "",
    ...markdownTable(["Workload", "Role", "Waiting now", "At most", "With a sandbox", "Since", "Until"], incident.hurtWorkloads.map((hurt) => [t(`${hurt.kind} ${hurt.namespace}/${hurt.name}`), hurt.role ?? "", String(hurt.waiting), String(hurt.mostWaiting), hurt.replicas === undefined ? "not counted" : `${hurt.started ?? 0} of ${hurt.replicas}`, hurt.since, hurt.until ?? ""])),
    ...(incident.memberIncidents.length === 0 ? [] : ["## Nodes", "", ...markdownTable(["Node", "Incident", "State", "First sign", "What"], incident.memberIncidents.map((member) => [t(member.node ?? ""), String(member.id), STATE_WORDS[member.state], member.sign, t(member.title)]))]),
    "## Notes",
    "",
    ...(incident.noteList.length === 0 ? ["None.", ""] : incident.noteList.flatMap((note) => [`- ${note.at}, ${t(note.by)}: ${t(note.text)}`])),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

const detailOf = ({ detail, node }: StoryItemOut): string => [node, detail].filter((part) => part !== undefined).join(": ");

function attemptLines({ attempts }: StoryItemOut): readonly string[] {
  if (attempts === undefined) return [];
  return [
    `### Attempts: ${t(attempts.cause)}${attempts.detail === undefined ? "" : `, ${t(attempts.detail)}`}`,
    "",
    `${attempts.events} events of ${attempts.pods} pods, ${attempts.first} to ${attempts.last}; words of ${t(attempts.plugin)}, confidence ${attempts.confidence}. Counts of events are no rates.`,
    "",
    ...markdownTable(["Pod", "Attempts", "First", "Last", "Text"], attempts.named.flatMap(({ pod, runs }) => runs.map((run) => [t(pod), run.from === run.to ? String(run.from) : `${run.from}–${run.to}`, run.first, run.last, t(run.text)]))),
  ];
}

/** Four spaces make code of a line, whatever is in it; no fence could be closed from within. */
const diffLines = ({ diff, title }: StoryItemOut): readonly string[] => (diff === undefined ? [] : [`### ${t(title)}`, "", ...diff.split(/\r\n|[\r\n]/).map((line) => `    ${line}`), ""]);

function causeLines(cause: IncidentCauseOut): readonly string[] {
  const when = `first ${cause.first}${cause.times > 1 ? `, began ${cause.times} times` : ""}${cause.until === undefined ? "" : `, until ${cause.until}`}`;
  return [
    `### ${t(cause.title)}`,
    "",
    `${cause.certainty === "named" ? "Named" : "Suspected from a text"}, ${CAUSE_STATES[cause.state]}; ${when}.${cause.under === undefined ? "" : ` Brought about by ${t(cause.under)}.`}${cause.reason === undefined ? "" : ` ${t(cause.reason)}`}`,
    "",
    t(cause.summary),
    "",
    ...markdownTable(["What", "Looked", "Value", "When", "Source"], cause.evidence.map((item) => [t(item.what), LOOK_WORDS[item.look] + (item.reason === undefined ? "" : `: ${t(item.reason)}`), item.value === undefined ? "" : t(`${item.value} ${item.unit ?? ""}`.trim()), item.at ?? "", item.source])),
  ];
}
