"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useDeferredValue, useId, useState } from "react";
import { lookOf, LOOK_WORDS, type FleetModel } from "@/components/fleet/model";
import { readFleet } from "@/components/fleet/read-fleet";
import { QUERY_KEYS } from "@/components/live/queries";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { Dialog } from "@/components/ui/dialog";
import { matchNodes, MAX_MATCHES } from "./match-nodes";

/** Type a part of a node's name, Enter opens it. */
export default function JumpDialog({ onClose }: { readonly onClose: () => void }) {
  const router = useRouter();
  const list = useId();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const fleet = useQuery<FleetModel>({ queryKey: QUERY_KEYS.fleet, queryFn: ({ signal, client }) => readFleet(client, signal) });
  const rows = fleet.data?.rows ?? [];
  const matches = matchNodes(rows, useDeferredValue(text));
  const shown = matches.slice(0, MAX_MATCHES);
  const active = shown[Math.min(chosen, shown.length - 1)];
  const open = (name: string): void => {
    onClose();
    router.push(`/nodes/${encodeURIComponent(name)}`);
  };
  return (
    <Dialog title="Jump to node" open onClose={onClose}>
      <div className="jump">
        <input
          className="input"
          role="combobox"
          aria-label="Part of a node's name"
          aria-expanded={shown.length > 0}
          aria-controls={list}
          aria-activedescendant={active === undefined ? undefined : `${list}-${active.name}`}
          autoComplete="off"
          data-autofocus
          spellCheck={false}
          placeholder="Part of a name"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
          }}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              event.preventDefault();
              setChosen((at) => Math.max(0, Math.min(shown.length - 1, at + (event.key === "ArrowDown" ? 1 : -1))));
            }
            if (event.key === "Enter" && active !== undefined) open(active.name);
          }}
        />
        <ul id={list} role="listbox" aria-label="Nodes">
          {shown.map((row) => (
            <li key={row.name} id={`${list}-${row.name}`} role="option" aria-selected={row === active} className={row === active ? "on" : undefined} onClick={() => open(row.name)}>
              <AnswerGlyph look={lookOf(row)} />
              <span className="med">{row.name}</span>
              <span className="r">
                {row.pool} · {LOOK_WORDS[lookOf(row)]}
              </span>
            </li>
          ))}
        </ul>
        <p className="ft" role="status">
          {fleet.isPending ? "Reading the nodes" : fleet.isError ? fleet.error.message : `${shown.length} of ${matches.length} that match`}
        </p>
      </div>
    </Dialog>
  );
}
