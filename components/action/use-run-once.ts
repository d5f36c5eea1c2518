"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { ActionRunOut, ActionRuns } from "@/server/contract/schemas";
import { ApiError } from "@/components/live/fetch-json";
import { ACTION_KEYS, readRuns, sendRun, type Wanted } from "./queries";
import { RUNS_OF_NODE, useNodeRuns } from "./use-run";

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
export function useRunOnce(node: string, requestId: string): RunOnce {
  const client = useQueryClient();
  const [sending, setSending] = useState<Sending>("no");
  const [problem, setProblem] = useState<ApiError>();
  const inFlight = useRef(false);
  // The list has it as soon as it is recorded; asking for it by its id before that would be an error each time.
  const runs = useNodeRuns(node, sending === "sending" || sending === "unsure");
  const run = runs.data?.items.find((one) => one.requestId === requestId);
  const know = (known: ActionRunOut): void => {
    // A list that was asked for before the run was recorded would take it away again.
    void client.cancelQueries({ queryKey: ACTION_KEYS.runs(node) });
    client.setQueryData<ActionRuns>(ACTION_KEYS.runs(node), (list) => ({ items: [known, ...(list?.items ?? []).filter((one) => one.requestId !== requestId)] }));
    setSending("known");
    void client.invalidateQueries({ queryKey: ACTION_KEYS.offers(node) });
  };
  const send: RunOnce["send"] = async (wanted, sent) => {
    if (inFlight.current || run !== undefined) return undefined;
    inFlight.current = true;
    setProblem(undefined);
    setSending("sending");
    try {
      know(await sendRun(wanted, { ...sent, requestId }));
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      const found = await lookUp(node, requestId);
      if (found === "unknown" || (found === undefined && error.code === "unreachable")) setSending("unsure");
      else if (found === undefined) setSending("no");
      else know(found);
      return error;
    } finally {
      inFlight.current = false;
    }
  };
  return { run, sending, problem, send };
}

/** Whether a run by this id exists, whatever was answered to the request that should have made it. */
async function lookUp(node: string, requestId: string): Promise<ActionRunOut | undefined | "unknown"> {
  try {
    return (await readRuns(node, RUNS_OF_NODE)).items.find((run) => run.requestId === requestId);
  } catch (error) {
    if (error instanceof ApiError) return "unknown";
    throw error;
  }
}
