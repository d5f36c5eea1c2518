import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readNode } from "@/server/services/read-node";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.node, ({ ctx, params }) => readNode({ ctx, input: params }));
