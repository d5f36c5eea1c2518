"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ActionPlan } from "@/server/contract/schemas";
import { ApiError } from "@/components/live/fetch-json";
import { ACTION_KEYS, makePlan, tryPlan, type Wanted } from "./queries";
import { planChanges } from "./plan-changes";
import type { TriedPlan } from "./sheet-step";

export interface PlanState {
  /** The newest plan; while another is being made, the one before. */
  readonly plan: ActionPlan | undefined;
  readonly planning: boolean;
  readonly error: Error | null;
  /** What a plan made anew says differently; undefined where none was voided. */
  readonly changes: readonly string[] | undefined;
  /** Makes the plan again and tells what is different. */
  replan(): Promise<void>;
}

export function usePlan(wanted: Wanted, enabled: boolean): PlanState {
  const key = JSON.stringify(wanted.params);
  const [last, setLast] = useState<ActionPlan>();
  const [changes, setChanges] = useState<{ readonly key: string; readonly texts: readonly string[] }>();
  const query = useQuery({
    queryKey: ACTION_KEYS.plan(wanted),
    queryFn: ({ signal }) => makePlan(wanted, signal),
    enabled,
    retry: false,
    gcTime: 0, // a plan is made from the cluster as it is now, each time that one is asked for
  });
  if (query.data !== undefined && query.data !== last) setLast(query.data);
  return {
    plan: query.data ?? last,
    planning: query.isFetching,
    error: query.error,
    changes: changes?.key === key ? changes.texts : undefined,
    replan: async () => {
      const before = query.data ?? last;
      const { data } = await query.refetch();
      if (before !== undefined && data !== undefined) setChanges({ key, texts: planChanges(before, data) });
    },
  };
}

export interface DryRunControl {
  readonly tried: TriedPlan | undefined;
  readonly trying: boolean;
  readonly problem: ApiError | undefined;
  /** Resolves to the version of what was tried. */
  run(wanted: Wanted): Promise<string | undefined>;
}

export function useDryRun(): DryRunControl {
  const [tried, setTried] = useState<TriedPlan>();
  const [trying, setTrying] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  const run: DryRunControl["run"] = async (wanted) => {
    if (trying) return undefined;
    setTrying(true);
    setProblem(undefined);
    try {
      const result = await tryPlan(wanted);
      setTried({ key: JSON.stringify(wanted.params), result });
      return result.version;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      return undefined;
    } finally {
      setTrying(false);
    }
  };
  return { tried, trying, problem, run };
}
