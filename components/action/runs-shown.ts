/** Runs that the page of runs shows. */
export const RUNS_SHOWN = 100;
