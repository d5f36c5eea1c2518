import { authorize } from "../../auth/authorize";
import type { IncidentExport } from "../../contract/incidents";
import type { ActionCtx } from "../ctx";
import { iso } from "../iso";
import { readIncident } from "./read-incident";

export const INCIDENT_EXPORT_FORMAT = "sandglass/incident";
export const INCIDENT_EXPORT_VERSION = 1;

/** An incident as one document, to keep longer than Sandglass does or to hand on: the story, causes with evidence, who was hurt, gaps, notes. */
export async function exportIncident({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly id: number } }): Promise<IncidentExport> {
  authorize(ctx.actor, "export", `incident/${input.id}`, ctx);
  const { seq: _seq, at: _at, ...incident } = await readIncident({ ctx, input });
  const status = ctx.reader.status();
  return {
    format: INCIDENT_EXPORT_FORMAT,
    version: INCIDENT_EXPORT_VERSION,
    madeAt: iso(ctx.clock.now()),
    madeBy: `Sandglass ${ctx.version}`,
    ...(status === undefined ? {} : { cluster: { ...status.cluster } }),
    incident,
  };
}
