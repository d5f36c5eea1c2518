"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import type { IncidentDetail } from "@/server/contract/incidents";
import { INCIDENT_KEYS, setTitle } from "./queries";

const MAX_TITLE_CHARS = 200;

/** The title as a heading; a person may put their own in its place. */
export function Title({ incident }: { readonly incident: Pick<IncidentDetail, "id" | "title" | "titled"> }) {
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (!editing && wasEditing.current) button.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  return (
    <div className="inc-title">
      <h1>{incident.title}</h1>
      {editing ? (
        <TitleForm incident={incident} onDone={() => setEditing(false)} />
      ) : (
        <button ref={button} type="button" className="btn btn-sm" onClick={() => setEditing(true)}>
          {incident.titled === undefined ? "Give it a title" : "Change the title"}
        </button>
      )}
    </div>
  );
}

function TitleForm({ incident, onDone }: { readonly incident: Pick<IncidentDetail, "id" | "title">; readonly onDone: () => void }) {
  const client = useQueryClient();
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(incident.title);
  useEffect(() => input.current?.select(), []);
  const save = useMutation({
    mutationFn: () => setTitle(incident.id, text.trim()),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: INCIDENT_KEYS.one(incident.id) });
      onDone();
    },
  });
  const ready = text.trim() !== "" && !save.isPending;
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) save.mutate();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onDone();
      }}
    >
      <label className="sr" htmlFor={field}>
        Title
      </label>
      <input ref={input} id={field} className="input" maxLength={MAX_TITLE_CHARS} value={text} onChange={(event) => setText(event.target.value)} />
      <button type="submit" className="btn btn-sm" aria-disabled={!ready}>
        Save title
      </button>
      <button type="button" className="btn btn-sm btn-quiet" onClick={onDone}>
        Cancel
      </button>
      {save.isError ? (
        <span className="small bad-t" role="alert">
          It was not stored: {save.error.message}
        </span>
      ) : null}
    </form>
  );
}
