import { MAX_END_UNIX_SECONDS, MAX_READING_NAME_CHARS, MAX_READING_TIME_MS } from "../domain/agent-readings";
import { MAX_PATH_CHARS, capText } from "../domain/agent-report";

/**
 * What a node's files say, held to the bounds of a report: one time or name out of them and the server would refuse the
 * whole report.
 */
const MAX_ID_CHARS = 128;
const MAX_WORD_CHARS = 32;

/** A time in whole milliseconds; undefined where it is none (a file from before 1970, a clock gone mad). */
export function timeMs(ms: number): number | undefined {
  const whole = Math.round(ms);
  return whole >= 0 && whole <= MAX_READING_TIME_MS ? whole : undefined;
}

/** The end of credentials in whole Unix seconds; undefined where it is none, or later than a date can tell. */
export function endUnixSeconds(seconds: number): number | undefined {
  const whole = Math.floor(seconds);
  return whole >= 0 && whole <= MAX_END_UNIX_SECONDS ? whole : undefined;
}

/** A count or a size; undefined where it is none that arithmetic can be done with. */
export const count = (value: number): number | undefined => (Number.isSafeInteger(value) && value >= 0 ? value : undefined);

export const nameText = (text: string): string => capText(text, MAX_READING_NAME_CHARS);
export const idText = (text: string): string => capText(text, MAX_ID_CHARS);
export const wordText = (text: string): string => capText(text, MAX_WORD_CHARS);
export const pathText = (text: string): string => capText(text, MAX_PATH_CHARS);

/** The object without the keys whose value is undefined, for fields that are either told or absent. */
export function told<T extends object>(fields: T): { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never; // the keys are T's own
}
