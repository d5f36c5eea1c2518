import type { Visibility } from "../contract/schemas";
import type { Ctx } from "./ctx";
import { kindsOut } from "./status-out";
import { sourceOut } from "./view-out";

/** What can and cannot be seen, per watched kind and per node, each with its reason and, where there is one, the way on. */
export async function readVisibility({ ctx }: { readonly ctx: Ctx }): Promise<Visibility> {
  return {
    kinds: kindsOut(ctx.reader.status()),
    nodes: ctx.reader.fleet().rows.map(({ view }) => ({ name: view.name, sources: view.sources.map(sourceOut), blind: view.blind.map((item) => ({ ...item })) })),
  };
}
