import { NextResponse, type NextRequest } from "next/server";
import { isLocalHost, OTHER_HOST_REFUSED } from "@/server/local-host";

/**
 * Headers of every page, and a look at Host behind that of `server/http/front-door.ts`. It is not where anything is decided: pages and routes
 * check again in `requestContext()` and `handler()`.
 */
export default function proxy(request: NextRequest): NextResponse {
  if (!isLocalHost(request.headers.get("host"))) return new NextResponse(`${OTHER_HOST_REFUSED}\n`, { status: 421 });
  const nonce = btoa(crypto.randomUUID());
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  response.headers.set("x-content-type-options", "nosniff");
  response.headers.set("referrer-policy", "same-origin");
  response.headers.set("cache-control", "no-store");
  response.headers.set("cross-origin-opener-policy", "same-origin");
  return response;
}

/** Pages only: the API sets its own headers, and built files may be cached. */
export const config = { matcher: ["/((?!api/|_next/static/|healthz$|readyz$).*)"] };
