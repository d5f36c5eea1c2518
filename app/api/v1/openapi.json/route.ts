import { handler } from "@/server/http/handler";
import { openApiDocument } from "@/server/http/openapi";
import { ROUTES } from "@/server/http/routes";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.openapi, ({ ctx }) => openApiDocument(ctx.version));
