import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readCauses } from "@/server/services/read-causes";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.causes, async () => ({ causes: [...readCauses()] }));
