import { readFileSync, writeFileSync } from "node:fs";

/** Puts `text` between the marks of the page, those of one part where it has a table of its own. Throws where the page has lost them. */
export function writeBetweenMarks(file: string, text: string, part?: string): void {
  const begins = `<!-- bench${part === undefined ? "" : ` ${part}`}: written by npm run bench -- ${part === undefined ? "" : `--only ${part} `}--write-docs -->`;
  const ends = `<!-- end of bench${part === undefined ? "" : ` ${part}`} -->`;
  const page = readFileSync(file, "utf8");
  const begin = page.indexOf(begins);
  const end = page.indexOf(ends);
  if (begin === -1 || end < begin) throw new Error(`${file} has lost the lines "${begins}" and "${ends}" between which the table stands`);
  writeFileSync(file, `${page.slice(0, begin + begins.length)}\n\n${text}\n\n${page.slice(end)}`);
}
