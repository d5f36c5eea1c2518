import { actionContextOf, stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { offerActions } from "@/server/services/actions/offer-actions";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.actionOffers, async ({ ctx, params }) => offerActions({ ctx: ctx.actionsAllowed ? await actionContextOf(ctx) : stateContextOf(ctx), input: params }));
