import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readOfferedKeys } from "@/server/services/keys/read-offered-keys";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.offeredKeys, ({ ctx }) => readOfferedKeys({ ctx: stateContextOf(ctx) }));
