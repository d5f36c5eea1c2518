/** What the kubelet and gRPC put before every error of a sandbox; in a narrow column it hides the error. */
const PREFIXES = ["Failed to create pod sandbox: ", "failed to create pod sandbox: ", "Failed to kill pod: "];
const RPC = "rpc error: code = ";
const RPC_TEXT = " desc = ";
const NETWORK = 'failed to setup network for sandbox "';
const NETWORK_TEXT = '": ';
/** How far a wrapping's end is looked for: a code of gRPC or an id of a sandbox lies between. */
const MAX_WRAPPING_CHARS = 200;

/** A text of the kubelet without the sentences that stand before every such text; a cut is shown by "… ". The whole text stays in the title. */
export function gistOf(text: string): string {
  let rest = text;
  for (let shorter = unwrapped(rest); shorter !== undefined; shorter = unwrapped(rest)) rest = shorter;
  return rest === text ? text : `… ${rest}`;
}

function unwrapped(text: string): string | undefined {
  const prefix = PREFIXES.find((one) => text.startsWith(one));
  const rest = prefix !== undefined ? text.slice(prefix.length) : text.startsWith(RPC) ? after(text, RPC_TEXT) : text.startsWith(NETWORK) ? after(text, NETWORK_TEXT) : undefined;
  return rest === "" ? undefined : rest;
}

function after(text: string, mark: string): string | undefined {
  const at = text.slice(0, MAX_WRAPPING_CHARS).indexOf(mark);
  return at < 0 ? undefined : text.slice(at + mark.length);
}
