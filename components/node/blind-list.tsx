import type { NodeDetail } from "@/server/contract/schemas";
import { Icon } from "@/components/ui/glyphs";

/** What Sandglass cannot see here, why, and the way on. */
export function BlindList({ blind }: { readonly blind: NodeDetail["blind"] }) {
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
    </section>
  );
}
