export interface Named {
  readonly name: string;
  readonly why: string;
}
export interface StepResult {
  passed: number;
  failed: Named[];
  skipped: Named[];
  again: Named[];
}
export function nothing(): StepResult;
export function oneTest(name: string, why?: string): StepResult;
export function fromVitest(report: unknown): StepResult;
export function fromPlaywright(report: unknown): StepResult;
export function add(results: readonly StepResult[]): StepResult;
export const MAX_SECOND_TRIES: number;
export function secondTries(result: StepResult): StepResult;
export function skipReasons(skipped: readonly Named[]): string[];
export function closingLine(result: StepResult): string;
