/**
 * Looks at JSON text before it is parsed, in one pass that allocates nothing: a few megabytes of brackets would become
 * hundreds of megabytes of empty objects.
 */
export interface ShapeLimits {
  readonly maxDepth: number;
  /** Objects and arrays. */
  readonly maxContainers: number;
  /** Values and keys, near enough: commas and colons. */
  readonly maxItems: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** What is too much in the text, or undefined. Text that is no JSON at all passes; the parser will say so. */
export function tooMuchJson(bytes: Uint8Array, limits: ShapeLimits): string | undefined {
  let depth = 0;
  let containers = 0;
  let items = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1;
      containers += 1;
      if (depth > limits.maxDepth) return `nested deeper than ${String(limits.maxDepth)}`;
      if (containers > limits.maxContainers) return `more than ${String(limits.maxContainers)} objects and arrays`;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    else if (byte === COMMA || byte === COLON) {
      items += 1;
      if (items > limits.maxItems) return `more than ${String(limits.maxItems)} values`;
    }
  }
  return undefined;
}
