import { CONFIG_SCENARIOS } from "./config";
import { DAEMON_SCENARIOS } from "./daemon";
import { NODE_SCENARIOS } from "./node";
import type { CauseScenario } from "./types";

const ALL = { ...CONFIG_SCENARIOS, ...DAEMON_SCENARIOS, ...NODE_SCENARIOS } as const;

export type CauseScenarioName = keyof typeof ALL;
export const CAUSE_SCENARIOS: Readonly<Record<CauseScenarioName, CauseScenario>> = ALL;
export const CAUSE_SCENARIO_NAMES = Object.keys(ALL).sort() as readonly CauseScenarioName[]; // the keys of ALL are its names
