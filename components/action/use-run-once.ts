"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { ActionRunOut } from "@/server/http/schemas";
import { ApiError } from "@/components/live/fetch-json";
import { ACTION_KEYS, readRun, sendRun, type Wanted } from "./queries";
import { useRun } from "./use-run";

/**
 * `unsure`: no answer came, so the run may be under way or not; it is looked up under its request id, and sending it
 * again is safe because the server runs an id once.
 */
export type Sending = "no" | "sending" | "unsure" | "known";

export interface RunOnce {
  readonly run: ActionRunOut | undefined;
  readonly sending: Sending;
  readonly problem: ApiError | undefined;
  /** Resolves to the problem where the server refused. */
  send(wanted: Wanted, sent: { readonly version: string; readonly confirm: string }): Promise<ApiError | undefined>;
}

/** One request id for as long as the sheet is open: two clicks, or a second try after a time-out, run once. */
export function useRunOnce(requestId: string): RunOnce {
  const client = useQueryClient();
  const [sending, setSending] = useState<Sending>("no");
  const [problem, setProblem] = useState<ApiError>();
  const inFlight = useRef(false);
  const followed = useRun(requestId, { enabled: sending !== "no" });
  const know = (run: ActionRunOut): void => {
    client.setQueryData(ACTION_KEYS.run(requestId), run);
    setSending("known");
    void client.invalidateQueries({ queryKey: ACTION_KEYS.runs(run.node) });
  };
  const send: RunOnce["send"] = async (wanted, sent) => {
    if (inFlight.current || followed.data !== undefined) return undefined;
    inFlight.current = true;
    setProblem(undefined);
    setSending("sending");
    try {
      know(await sendRun(wanted, { ...sent, requestId }));
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      const found = await lookUp(requestId);
      if (found === "unknown" || error.code === "unreachable") setSending("unsure");
      else if (found === "none") setSending("no");
      else know(found);
      return error;
    } finally {
      inFlight.current = false;
    }
  };
  return { run: followed.data, sending, problem, send };
}

/** Whether a run by this id exists, whatever was answered to the request that should have made it. */
async function lookUp(requestId: string): Promise<ActionRunOut | "none" | "unknown"> {
  try {
    return await readRun(requestId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.code === "not-found" ? "none" : "unknown";
  }
}
