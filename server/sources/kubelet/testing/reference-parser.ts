/**
 * A second reader of Prometheus text, to judge the first one by: it takes a whole page, goes through it letter by letter
 * as a machine of states, keeps everything and is slow. It shares no code and no regular expression with the product's.
 */
export interface ReferenceSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly timestampMs: number | undefined;
}

type State = "start" | "comment" | "name" | "afterName" | "labels" | "labelName" | "afterLabelName" | "beforeValue" | "inValue" | "escape" | "afterLabel" | "numbers" | "broken";

const LETTERS = new Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
const DIGITS = new Set("0123456789");
const nameLetter = (letter: string, first: boolean, colon: boolean): boolean => LETTERS.has(letter) || (colon && letter === ":") || (!first && DIGITS.has(letter));
const blank = (letter: string): boolean => letter === " " || letter === "\t";

export function referenceParse(page: Uint8Array): ReferenceSample[] {
  const samples: ReferenceSample[] = [];
  const letters = [...new TextDecoder("utf-8", { ignoreBOM: true }).decode(page)];
  let line: string[] = [];
  for (const letter of letters) {
    if (letter !== "\n") line.push(letter);
    else {
      const sample = referenceLine(line);
      if (sample !== undefined) samples.push(sample);
      line = [];
    }
  }
  const last = referenceLine(line);
  if (last !== undefined) samples.push(last);
  return samples;
}

function referenceLine(given: readonly string[]): ReferenceSample | undefined {
  const line = given.at(-1) === "\r" ? given.slice(0, -1) : given;
  let state: State = "start";
  let name = "";
  let labelName = "";
  let labelValue = "";
  let rest = "";
  const labels: [string, string][] = [];
  for (const letter of line) {
    if (letter === "\uFFFD") state = "broken";
    switch (state) {
      case "start":
        if (blank(letter)) break;
        if (letter === "#") state = "comment";
        else if (nameLetter(letter, true, true)) {
          name = letter;
          state = "name";
        } else state = "broken";
        break;
      case "name":
        if (nameLetter(letter, false, true)) name += letter;
        else if (letter === "{") state = "labels";
        else if (blank(letter)) state = "afterName";
        else state = "broken";
        break;
      case "afterName":
        if (letter === "{") state = "labels";
        else if (!blank(letter)) {
          rest = letter;
          state = "numbers";
        }
        break;
      case "labels":
        if (letter === "}") state = "numbers";
        else if (nameLetter(letter, true, false)) {
          labelName = letter;
          state = "labelName";
        } else if (!blank(letter)) state = "broken";
        break;
      case "labelName":
        if (nameLetter(letter, false, false)) labelName += letter;
        else if (letter === "=") state = "beforeValue";
        else if (blank(letter)) state = "afterLabelName";
        else state = "broken";
        break;
      case "afterLabelName":
        if (letter === "=") state = "beforeValue";
        else if (!blank(letter)) state = "broken";
        break;
      case "beforeValue":
        if (letter === '"') {
          labelValue = "";
          state = "inValue";
        } else if (!blank(letter)) state = "broken";
        break;
      case "inValue":
        if (letter === "\\") state = "escape";
        else if (letter === '"') {
          labels.push([labelName, labelValue]);
          state = "afterLabel";
        } else labelValue += letter;
        break;
      case "escape":
        if (letter === "n") labelValue += "\n";
        else if (letter === "\\" || letter === '"') labelValue += letter;
        state = letter === "n" || letter === "\\" || letter === '"' ? "inValue" : "broken";
        break;
      case "afterLabel":
        if (letter === ",") state = "labels";
        else if (letter === "}") state = "numbers";
        else if (!blank(letter)) state = "broken";
        break;
      case "numbers":
        rest += letter;
        break;
      case "comment":
      case "broken":
        break;
    }
  }
  if (state !== "numbers" || new Set(labels.map(([label]) => label)).size !== labels.length || labels.length > 64) return undefined;
  return withNumbers(name, Object.fromEntries(labels), words(rest));
}

function words(text: string): string[] {
  const found: string[] = [];
  let word = "";
  for (const letter of `${text} `) {
    if (!blank(letter)) word += letter;
    else if (word !== "") {
      found.push(word);
      word = "";
    }
  }
  const exemplar = found.indexOf("#");
  return exemplar < 0 ? found : found.slice(0, exemplar);
}

function withNumbers(name: string, labels: Readonly<Record<string, string>>, numbers: readonly string[]): ReferenceSample | undefined {
  if (numbers.length < 1 || numbers.length > 2) return undefined;
  const value = goFloat(numbers[0] ?? "");
  if (value === undefined) return undefined;
  const time = numbers[1];
  if (time === undefined) return { name, labels, value, timestampMs: undefined };
  const timestamp = decimal(time);
  if (timestamp === undefined) return undefined;
  const digits = [...time].filter((letter) => letter !== "-");
  const whole = !time.startsWith("+") && digits.length <= 15 && digits.every((letter) => DIGITS.has(letter));
  return { name, labels, value, timestampMs: whole ? timestamp : undefined };
}

function goFloat(text: string): number | undefined {
  const small = text.toLowerCase();
  if (small === "nan") return Number.NaN;
  if (small === "inf" || small === "+inf") return Number.POSITIVE_INFINITY;
  if (small === "-inf") return Number.NEGATIVE_INFINITY;
  return decimal(text);
}

/** [sign] digits [. digits] [e [sign] digits], with a digit before or after the point. */
function decimal(text: string): number | undefined {
  let at = text[0] === "+" || text[0] === "-" ? 1 : 0;
  const run = (): number => {
    const from = at;
    while (DIGITS.has(text[at] ?? "")) at += 1;
    return at - from;
  };
  let mantissa = run();
  if (text[at] === ".") {
    at += 1;
    mantissa += run();
  }
  if (mantissa === 0) return undefined;
  if (text[at] === "e" || text[at] === "E") {
    at += 1;
    if (text[at] === "+" || text[at] === "-") at += 1;
    if (run() === 0) return undefined;
  }
  return at === text.length ? Number.parseFloat(text) : undefined;
}
