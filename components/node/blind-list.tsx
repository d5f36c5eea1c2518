import type { NodeDetail } from "@/server/contract/schemas";
import Link from "next/link";
import { plural } from "@/components/format/numbers";
import { Icon } from "@/components/ui/glyphs";

/** More than these would be a wall of titles: they are folded, and found by the browser's own search all the same. */
const MAX_TITLES_IN_LINE = 3;

/** What Sandglass cannot see here, why, and the way on. */
export function BlindList({ node, blind, unknown }: { readonly node: string; readonly blind: NodeDetail["blind"]; readonly unknown: NodeDetail["diagnosis"]["unknown"] }) {
  return (
    <section aria-labelledby="blind-h">
      <div className="sec-head">
        <h2 id="blind-h">
          What Sandglass cannot see here<span className="count">{blind.length}</span>
        </h2>
      </div>
      {blind.length === 0 ? (
        <p className="pad small muted">Every signal of this node is seen.</p>
      ) : (
        <ul className="kv">
          {blind.map((item) => (
            <li key={`${item.what} ${item.reason}`}>
              <span className="unknown-t">
                <Icon name="blind" size={14} />
              </span>{" "}
              <span className="med">{item.what}</span>
              <span className="two">
                {item.reason}
                {item.fix === undefined ? "" : `. ${item.fix}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="pad small">
        <Link className="link" href={`/visibility?node=${encodeURIComponent(node)}`} prefetch={false}>
          Every signal of this node
        </Link>
      </p>
      {unknown.length === 0 ? null : (
        <>
          <h3 className="h3 pad">Causes that could not be looked for</h3>
          <ul className="kv">
            {unknown.map(({ reason, causes }) => (
              <li key={reason}>
                <CauseTitles titles={causes.map(({ title }) => title)} />
                <span className="two">{reason}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function CauseTitles({ titles }: { readonly titles: readonly string[] }) {
  if (titles.length <= MAX_TITLES_IN_LINE) return <span className="small">{titles.join(", ")}</span>;
  return (
    <details className="many small">
      <summary>{plural(titles.length, "cause")}</summary>
      <ul>
        {titles.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
    </details>
  );
}
