/** Above this many pairs of lines to compare, what differs is shown as removed and added whole. */
const MAX_PAIRS = 250_000;

/** What changed from one list of lines to another, each line with "-" or "+" before it; no line that stayed. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly string[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const gone = before.slice(start, before.length - end);
  const come = after.slice(start, after.length - end);
  if (gone.length * come.length > MAX_PAIRS) return [...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)];
  return middle(gone, come);
}

/** By the longest common subsequence. */
function middle(gone: readonly string[], come: readonly string[]): string[] {
  const width = come.length + 1;
  const longest = new Uint32Array((gone.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = gone.length - 1; row >= 0; row -= 1) {
    for (let column = come.length - 1; column >= 0; column -= 1) {
      longest[row * width + column] = gone[row] === come[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: string[] = [];
  let row = 0;
  let column = 0;
  while (row < gone.length || column < come.length) {
    if (row < gone.length && column < come.length && gone[row] === come[column]) {
      row += 1;
      column += 1;
    } else if (column >= come.length || (row < gone.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push(`-${gone[row] ?? ""}`);
      row += 1;
    } else {
      lines.push(`+${come[column] ?? ""}`);
      column += 1;
    }
  }
  return lines;
}
