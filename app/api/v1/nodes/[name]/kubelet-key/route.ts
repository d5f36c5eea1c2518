import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { acceptKubeletKey } from "@/server/services/keys/accept-kubelet-key";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.acceptKey, ({ ctx, params, body }) => acceptKubeletKey({ ctx: stateContextOf(ctx), input: { name: params.name, sha256: body.sha256 } }));
