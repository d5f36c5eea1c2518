import { Fragment } from "react";

/** Text with commands between backticks, as our own advice is written; everything is shown as text. */
export function MarkedText({ text }: { readonly text: string }) {
  return text.split("`").map((piece, index) => (index % 2 === 1 ? <code key={`${String(index)} ${piece}`}>{piece}</code> : <Fragment key={`${String(index)} ${piece}`}>{piece}</Fragment>));
}
