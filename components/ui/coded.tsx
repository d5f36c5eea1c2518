/** Text of our own in which `backticks` mark what is typed: those parts as code, the rest as it is. */
export function Coded({ text }: { readonly text: string }) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part));
}
