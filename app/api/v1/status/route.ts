import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readStatus } from "@/server/services/read-status";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.status, ({ ctx }) => readStatus({ ctx }));
