import type { ReactNode } from "react";
import { nodeOf } from "./node-of";

/** Above the loading state on purpose: a node that does not exist is a 404, which a page that streams cannot say any more. */
export default async function Layout({ params, children }: { readonly params: Promise<{ readonly name: string }>; readonly children: ReactNode }) {
  await nodeOf((await params).name);
  return children;
}
