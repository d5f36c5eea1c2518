import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { withdrawException } from "@/server/services/causes/withdraw-exception";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.withdrawException, ({ ctx, params, body }) => withdrawException({ ctx: stateContextOf(ctx), input: { code: params.code, subject: body.subject } }));
