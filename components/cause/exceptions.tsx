"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import type { CauseException, CauseExceptions } from "@/server/contract/causes";
import { fetchJson, postJson } from "@/components/live/fetch-json";
import { useNow } from "@/components/live/live-provider";
import { QUERY_KEYS } from "@/components/live/queries";
import { Instant } from "@/components/ui/instant";

/** As the server has it, so that nobody types in vain. */
const MAX_REASON_CHARS = 1_000;
const COARSE_MS = 5_000;

const exceptionsPath = (code: string): string => `/api/v1/causes/${code}/exceptions`;

function useExceptionWrites(code: string) {
  const client = useQueryClient();
  const onSuccess = async (): Promise<void> => {
    await Promise.all([client.invalidateQueries({ queryKey: QUERY_KEYS.exceptions(code) }), client.invalidateQueries({ queryKey: QUERY_KEYS.nodes })]);
  };
  return {
    accept: useMutation({ mutationFn: (body: { readonly subject: string; readonly reason: string }) => postJson<CauseException>(exceptionsPath(code), body), onSuccess }),
    withdraw: useMutation({ mutationFn: (subject: string) => postJson(`${exceptionsPath(code)}/withdraw`, { subject }), onSuccess }),
  };
}

/** What a cause is about, each with a button that accepts it as it is. */
export function AcceptableSubjects({ code, subjects }: { readonly code: string; readonly subjects: readonly string[] }) {
  if (subjects.length === 0) return null;
  return (
    <ul className="accept" aria-label="May be accepted as it is">
      {subjects.map((subject) => (
        <AcceptableSubject key={subject} code={code} subject={subject} />
      ))}
    </ul>
  );
}

function AcceptableSubject({ code, subject }: { readonly code: string; readonly subject: string }) {
  const [asking, setAsking] = useState(false);
  const { accept } = useExceptionWrites(code);
  return (
    <li>
      <code>{subject}</code>
      {accept.isSuccess ? (
        <span className="small muted" role="status">
          Accepted. The next look at each node leaves it out.
        </span>
      ) : asking ? (
        <ReasonForm subject={subject} pending={accept.isPending} problem={accept.error?.message} onCancel={() => setAsking(false)} onReason={(reason) => accept.mutate({ subject, reason })} />
      ) : (
        <button type="button" className="btn btn-sm" aria-label={`Accept ${subject} as it is`} onClick={() => setAsking(true)}>
          Accept…
        </button>
      )}
    </li>
  );
}

function ReasonForm({ subject, pending, problem, onCancel, onReason }: { readonly subject: string; readonly pending: boolean; readonly problem: string | undefined; readonly onCancel: () => void; readonly onReason: (reason: string) => void }) {
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  const [reason, setReason] = useState("");
  useEffect(() => input.current?.focus(), []);
  const ready = reason.trim() !== "" && !pending;
  return (
    <form
      className="accept-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onReason(reason.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
      }}
    >
      <label className="sr" htmlFor={field}>
        Why {subject} is right as it is
      </label>
      <input ref={input} id={field} className="input" maxLength={MAX_REASON_CHARS} placeholder="Why it is right as it is" value={reason} onChange={(event) => setReason(event.target.value)} />
      <button type="submit" className="btn btn-sm" aria-disabled={!ready}>
        Accept
      </button>
      <button type="button" className="btn btn-sm btn-quiet" onClick={onCancel}>
        Cancel
      </button>
      <p className="small muted" aria-live="polite">
        {problem !== undefined ? <span className="bad-t">It was not stored: {problem}</span> : pending ? "Storing it" : "On every node. Your name and the time stand with it, here and in the audit log."}
      </p>
    </form>
  );
}

/** Exceptions with who, when and why, each of which can be withdrawn. */
export function AcceptedList({ items, nowMs }: { readonly items: readonly CauseException[]; readonly nowMs: number }) {
  return (
    <ul className="accepted">
      {items.map((one) => (
        <AcceptedLine key={`${one.code} ${one.subject}`} exception={one} nowMs={nowMs} />
      ))}
    </ul>
  );
}

function AcceptedLine({ exception, nowMs }: { readonly exception: CauseException; readonly nowMs: number }) {
  const { code, subject, reason, by, at } = exception;
  const { withdraw } = useExceptionWrites(code);
  return (
    <li>
      <p>
        <code>{subject}</code> <span className="text">{reason}</span>
      </p>
      <p className="small muted">
        Accepted by <b>{by}</b> · <Instant at={Date.parse(at)} nowMs={nowMs} />
      </p>
      <button type="button" className="btn btn-sm" aria-disabled={withdraw.isPending} aria-label={`Withdraw the exception of ${subject}`} onClick={() => (withdraw.isPending ? undefined : withdraw.mutate(subject))}>
        Withdraw
      </button>
      {withdraw.isError ? (
        <p className="small bad-t" role="alert">
          It was not stored: {withdraw.error.message}
        </p>
      ) : null}
    </li>
  );
}

/** Everything of one cause that was accepted, on whatever node. */
export function CauseExceptionsPanel({ code, accepts, initial }: { readonly code: string; readonly accepts: string; readonly initial: readonly CauseException[] }) {
  const nowMs = useNow(COARSE_MS);
  const { data } = useQuery({ queryKey: QUERY_KEYS.exceptions(code), queryFn: ({ signal }) => fetchJson<CauseExceptions>(exceptionsPath(code), signal), initialData: { items: [...initial] } });
  return (
    <section aria-labelledby="accepted-h">
      <div className="sec-head">
        <h2 id="accepted-h">
          Accepted as it is
          <span className="count">{data.items.length}</span>
        </h2>
      </div>
      <div className="pad">
        {data.items.length === 0 ? <p className="muted">Nothing. Where it fires on a node&rsquo;s page, {accepts} can be accepted there with the reason.</p> : <AcceptedList items={data.items} nowMs={nowMs} />}
      </div>
    </section>
  );
}
