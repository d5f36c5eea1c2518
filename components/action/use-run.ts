"use client";

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ActionRunDetail, ActionRuns } from "@/server/contract/schemas";
import { ACTION_KEYS, readRun, readRuns } from "./queries";
import { isSettled } from "./run-state";

/** A run that still changes is read this often: steps take moments, checks are told within this time of being made. */
const FOLLOW_MS = 1_500;
/** While nothing is under way, another person's run is noticed within this time. */
const IDLE_MS = 15_000;
export const RUNS_OF_NODE = 20;

/** One run, followed until nothing of it will change. */
export function useRun(requestId: string, initial?: ActionRunDetail): UseQueryResult<ActionRunDetail> {
  return useQuery({
    queryKey: ACTION_KEYS.run(requestId),
    queryFn: ({ signal }) => readRun(requestId, signal),
    refetchInterval: ({ state }) => (state.data !== undefined && isSettled(state.data) ? false : FOLLOW_MS),
    ...(initial === undefined ? {} : { initialData: initial }),
  });
}

/** The newest runs of one node; `follow` where one is expected. */
export function useNodeRuns(node: string, follow = false): UseQueryResult<ActionRuns> {
  return useQuery({
    queryKey: ACTION_KEYS.runs(node),
    queryFn: ({ signal }) => readRuns(node, RUNS_OF_NODE, signal),
    refetchInterval: ({ state }) => (follow || state.data?.items.every(isSettled) === false ? FOLLOW_MS : IDLE_MS),
  });
}
