import Link from "next/link";
import type { ReactNode } from "react";

export interface Way {
  readonly href: string;
  readonly label: string;
}

/** In the place of what is not there: that it is not, why that may be, and where to go on. A page's own heading is `h1`. */
export function NothingHere({ heading: Heading = "h2", title, why, ways = [] }: { readonly heading?: "h1" | "h2"; readonly title: string; readonly why: ReactNode; readonly ways?: readonly Way[] }) {
  return (
    <section className="empty">
      <Heading>{title}</Heading>
      <p className="muted">{why}</p>
      {ways.length === 0 ? null : (
        <p className="row">
          {ways.map(({ href, label }) => (
            <Link key={href} className="btn" href={href}>
              {label}
            </Link>
          ))}
        </p>
      )}
    </section>
  );
}
