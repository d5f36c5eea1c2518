import { readFileSync, writeFileSync } from "node:fs";

const BEGIN = "<!-- bench: written by npm run bench -- --write-docs -->";
const END = "<!-- end of bench -->";

/** Puts `text` between the marks of the page. Throws where the page has lost them. */
export function writeBetweenMarks(file: string, text: string): void {
  const page = readFileSync(file, "utf8");
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`${file} has lost the lines "${BEGIN}" and "${END}" between which the table stands`);
  writeFileSync(file, `${page.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${page.slice(end)}`);
}
