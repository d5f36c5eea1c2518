import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { acceptException } from "@/server/services/causes/accept-exception";
import { readExceptions } from "@/server/services/causes/read-exceptions";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.exceptions, ({ ctx, params }) => ({ items: [...readExceptions({ ctx, input: params })] }));
export const POST = handler(ROUTES.acceptException, ({ ctx, params, body }) => acceptException({ ctx: stateContextOf(ctx), input: { code: params.code, ...body } }));
