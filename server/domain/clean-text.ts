/** Longest text of the cluster that is kept; Kubernetes itself caps event messages at 1,024, terminations at 4,096. */
export const MAX_TEXT_CHARS = 4_096;

// Everything that a terminal, a log viewer or a text direction would act on instead of showing; tab and newline stay.
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const CONTROL_PICTURES = 0x2400;
const LAST_C0 = 0x1f;

const sign = (char: string): string => {
  const code = char.charCodeAt(0);
  return code <= LAST_C0 ? String.fromCharCode(CONTROL_PICTURES + code) : `\\u${code.toString(16).padStart(4, "0")}`;
};

/** Text of anybody with escape sequences, control characters and marks of direction as visible signs, and lone surrogates as U+FFFD. Tab and newline stay. */
export const visibleText = (text: string): string => text.toWellFormed().replaceAll("\r\n", "\n").replace(ACTING, sign);

/** The one place where text of the cluster is cleaned: it is made visible, and the whole is cut to `maxChars` with an ellipsis. */
export function cleanText(text: string, maxChars = MAX_TEXT_CHARS): string {
  // Cut first: a hostile megabyte is not worth replacing in.
  const clean = visibleText(text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text);
  return clean.length > maxChars ? `${clean.slice(0, maxChars - 1)}…`.toWellFormed() : clean;
}
