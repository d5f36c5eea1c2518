import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readCause } from "@/server/services/read-causes";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.cause, async ({ params }) => readCause({ input: params }));
