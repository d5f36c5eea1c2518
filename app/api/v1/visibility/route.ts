import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readVisibility } from "@/server/services/read-visibility";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.visibility, ({ ctx, query }) => readVisibility({ ctx, input: query }));
