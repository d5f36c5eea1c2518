import type { Visibility } from "../contract/schemas";
import type { NodeName } from "../domain/ids";
import type { NodeView } from "../domain/node-view";
import { nothingToSee, remedyOf } from "../domain/signal-remedies";
import { signalVisibility } from "../domain/signal-visibility";
import { SIGNALS } from "../domain/signals";
import { ServiceError } from "../errors";
import type { Ctx } from "./ctx";
import { isoOr } from "./iso";
import { agentsOut, kindsOut } from "./status-out";
import { lostOut, signalOut, sourceOut } from "./view-out";

/**
 * What can and cannot be seen: per watched kind, per signal and per node, each with its reason and, where there is one, the way on.
 * With `node` also that node's signals one by one. Throws `not-found` for a node that no source has told of.
 */
export async function readVisibility({ ctx, input }: { readonly ctx: Ctx; readonly input: { readonly node?: NodeName | undefined } }): Promise<Visibility> {
  const views = ctx.reader.fleet().rows.map(({ view }) => view);
  const asked = input.node === undefined ? undefined : views.find(({ name }) => name === input.node);
  if (input.node !== undefined && asked === undefined) throw new ServiceError("not-found", `No node "${input.node}" is known.`);
  const status = ctx.reader.status();
  return {
    kinds: kindsOut(status),
    ...(status === undefined ? {} : { agents: agentsOut(status.agents) }),
    nodes: views.map((view) => ({ name: view.name, sources: view.sources.map(sourceOut), ...lostOut(view.lostReports), blind: view.blind.map((item) => ({ ...item })) })),
    signals: signalVisibility(views).map(({ signal, seen, stale, unseen, none, sources, lastMs, reasons }) => ({
      signal,
      unit: SIGNALS[signal].unit,
      meaning: SIGNALS[signal].meaning,
      possibleSources: [...SIGNALS[signal].sources],
      sources: [...sources],
      seen,
      stale,
      unseen,
      none,
      ...isoOr("last", lastMs),
      reasons: reasons.map((reason) => ({ ...reason })),
    })),
    ...(asked === undefined ? {} : { node: { name: asked.name, signals: nodeSignals(asked) } }),
  };
}

const nodeSignals = (view: NodeView): NonNullable<Visibility["node"]>["signals"] =>
  view.signals.map((now) => {
    const fix = remedyOf(now, view);
    return { ...signalOut(now), nothingToSee: nothingToSee(now), meaning: SIGNALS[now.signal].meaning, ...(fix === undefined ? {} : { fix }) };
  });
