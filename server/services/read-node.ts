import type { NodeName } from "../domain/ids";
import { ServiceError } from "../errors";
import type { NodeDetail } from "../contract/schemas";
import type { Ctx } from "./ctx";
import { diagnosisOut } from "./diagnosis-out";
import { isoOr } from "./iso";
import { hostOut } from "./host-out";
import { daemonOut, lostOut, summaryOut, waitingPodOut } from "./view-out";

/** One node whole, with its neighbours by name. Throws `not-found` for a node that no source has told of. */
export async function readNode({ ctx, input }: { readonly ctx: Ctx; readonly input: { readonly name: NodeName } }): Promise<NodeDetail> {
  const row = ctx.reader.node(input.name);
  if (row === undefined) throw new ServiceError("not-found", `No node "${input.name}" is known.`);
  const { view } = row;
  const names = ctx.reader.names();
  const at = names.indexOf(view.name);
  const previous = names[at - 1];
  const next = names[at + 1];
  return {
    ...summaryOut(view),
    seq: row.seq,
    conditions: view.conditions.map((condition) => ({
      type: condition.type,
      status: condition.status,
      ...(condition.reason === undefined ? {} : { reason: condition.reason }),
      ...(condition.message === undefined ? {} : { message: condition.message }),
      ...isoOr("since", condition.sinceMs),
    })),
    waitingPods: view.waitingPods.map(waitingPodOut),
    daemons: view.daemons.map(daemonOut),
    sockets: view.sockets.map((socket) => ({ ...socket })),
    ...(view.config === undefined ? {} : { config: { ...view.config, pluginTypes: [...view.config.pluginTypes], missingBinaries: [...view.config.missingBinaries] } }),
    ...(view.host === undefined ? {} : { host: hostOut(view.host) }),
    ...lostOut(view.lostReports),
    blind: view.blind.map((item) => ({ ...item })),
    diagnosis: diagnosisOut(view, ctx.reader.exceptions()),
    ...incidentOf(ctx, input.name),
    ...(previous === undefined ? {} : { previous }),
    ...(next === undefined ? {} : { next }),
  };
}

function incidentOf(ctx: Ctx, node: NodeName): Pick<NodeDetail, "incident"> {
  const incident = ctx.reader.incidents({ states: ["open", "unknown", "recovering"], node, limit: 1 }).rows[0]?.incident;
  if (incident === undefined || incident.state === "closed" || incident.state === "watched") return {};
  return { incident: { id: incident.id, state: incident.state, severity: incident.severity } };
}
