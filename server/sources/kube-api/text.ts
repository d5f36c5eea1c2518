import { cleanText } from "../../domain/clean-text";

export { cleanText, MAX_TEXT_CHARS } from "../../domain/clean-text";

/** The first line that says something, for a message of one sentence. */
export function firstLine(text: string, maxChars: number): string {
  return cleanText(text.split(/[\r\n]+/).find((line) => line.trim() !== "")?.trim() ?? "", maxChars);
}
