"use client";

import type { Touched } from "@/server/contract/schemas";
import { formatCount } from "@/components/format/numbers";
import { Block } from "./plan-view";

/** Rows on the page of one outcome; the API and the export have all. */
const SHOWN = 200;

interface TouchedListProps {
  readonly id: string;
  readonly title: string;
  readonly items: readonly Touched[];
  /** Said where there is none. */
  readonly none: string;
}

/** Sandboxes or files by their name, each with the reason. */
export function TouchedList({ id, title, items, none }: TouchedListProps) {
  return (
    <Block id={id} title={title} aside={formatCount(items.length)}>
      {items.length === 0 ? (
        <p className="line muted">{none}</p>
      ) : (
        <div className="touched" tabIndex={0} role="region" aria-label={`${title}, one by one`}>
          <ul>
            {items.slice(0, SHOWN).map((item) => (
              <li key={item.id}>
                <span className="mono wrap">{item.name}</span>
                {item.reason === undefined ? null : <span className="two">{item.reason}</span>}
              </li>
            ))}
          </ul>
          {items.length > SHOWN ? <p className="small muted">and {formatCount(items.length - SHOWN)} more</p> : null}
        </div>
      )}
    </Block>
  );
}
