import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readFleet } from "@/server/services/read-fleet";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.fleet, ({ ctx }) => readFleet({ ctx }));
