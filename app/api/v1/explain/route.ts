import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { explainText } from "@/server/services/explain-text";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.explain, ({ body }) => explainText({ input: body }));
