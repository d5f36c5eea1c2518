"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { IncidentDetail } from "@/server/contract/incidents";
import { Instant } from "@/components/ui/instant";
import { addNote, INCIDENT_KEYS } from "./queries";

/** As the server has it, so that nobody types in vain. */
const MAX_NOTE_CHARS = 4_000;

/** What people wrote, oldest first, and a field for the next one. A note stays as it was written. */
export function Notes({ incident, nowMs }: { readonly incident: Pick<IncidentDetail, "id" | "noteList">; readonly nowMs: number }) {
  return (
    <>
      {incident.noteList.length === 0 ? <p className="muted">None yet.</p> : null}
      <ul className="inc-notes">
        {incident.noteList.map((note) => (
          <li key={note.id}>
            <p className="small muted">
              <b>{note.by}</b> · <Instant at={Date.parse(note.at)} nowMs={nowMs} />
            </p>
            <p className="text">{note.text}</p>
          </li>
        ))}
      </ul>
      <NoteForm id={incident.id} />
    </>
  );
}

function NoteForm({ id }: { readonly id: number }) {
  const client = useQueryClient();
  const field = useId();
  const [text, setText] = useState("");
  const note = useMutation({
    mutationFn: () => addNote(id, text.trim()),
    onSuccess: async () => {
      setText("");
      await client.invalidateQueries({ queryKey: INCIDENT_KEYS.one(id) });
    },
  });
  const ready = text.trim() !== "" && !note.isPending;
  return (
    <form
      className="inc-note-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) note.mutate();
      }}
    >
      <label className="sr" htmlFor={field}>
        Note
      </label>
      <textarea
        id={field}
        className="input"
        rows={2}
        maxLength={MAX_NOTE_CHARS}
        placeholder="What others should know"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !ready) return;
          event.preventDefault();
          note.mutate();
        }}
      />
      <button type="submit" className="btn" aria-disabled={!ready}>
        Add note
      </button>
      <p className="small muted" aria-live="polite">
        {note.isError ? <span className="bad-t">It was not stored: {note.error.message} What you typed is still here.</span> : note.isPending ? "Storing it" : "Your name and the time stand with it, here and in the audit log."}
      </p>
    </form>
  );
}
