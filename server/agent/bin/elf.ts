/** What the first bytes of a program say of it. Pure. */
export interface ProgramHeader {
  /** "amd64", "arm64" … as Kubernetes names them; "script" for a text that names its interpreter; absent for anything else. */
  readonly architecture?: string;
  /** The least size that the file must have, by its own account of what is loaded from it. */
  readonly leastBytes?: number;
}

/** Enough for the header and the program headers of any usual program. */
export const HEADER_BYTES = 4_096;

const MACHINES: Readonly<Record<number, string>> = { 3: "386", 8: "mips", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm", 62: "amd64", 183: "arm64", 243: "riscv64", 258: "loong64" };
const LOADED = 1;
const MAX_PROGRAM_HEADERS = 64;
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;

export function programHeader(bytes: Buffer): ProgramHeader {
  if (bytes.length >= 2 && bytes.toString("latin1", 0, 2) === "#!") return { architecture: "script" };
  if (bytes.length < 20 || bytes.toString("latin1", 0, 4) !== "\x7fELF") return {};
  const wide = bytes[4] === CLASS_64;
  const little = bytes[5] === LITTLE_ENDIAN;
  const machine = little ? bytes.readUInt16LE(18) : bytes.readUInt16BE(18);
  const name = MACHINES[machine] ?? `machine ${String(machine)}`;
  const least = leastBytes(bytes, wide, little);
  return { architecture: name === "ppc64" && little ? "ppc64le" : name, ...(least === undefined ? {} : { leastBytes: least }) };
}

/** Where the last loaded part ends. Undefined where the headers do not fit into the bytes, or make no sense. */
function leastBytes(bytes: Buffer, wide: boolean, little: boolean): number | undefined {
  if (bytes.length < (wide ? 64 : 52)) return bytes.length + 1; // not even its header is whole
  const half = (at: number): number => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const word = (at: number): number => {
    if (!wide) return little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    return Number(little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
  };
  const table = word(wide ? 32 : 28);
  const size = half(wide ? 54 : 42);
  const count = half(wide ? 56 : 44);
  if (size < (wide ? 56 : 32) || count === 0 || count > MAX_PROGRAM_HEADERS || table + size * count > bytes.length) return undefined;
  let least = 0;
  for (let entry = 0; entry < count; entry += 1) {
    const at = table + entry * size;
    const type = little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    if (type === LOADED) least = Math.max(least, word(at + (wide ? 8 : 4)) + word(at + (wide ? 32 : 16)));
  }
  return Number.isSafeInteger(least) ? least : undefined;
}

const OF_NODE: Readonly<Record<string, readonly string[]>> = {
  x64: ["amd64", "386"],
  arm64: ["arm64", "arm"],
  arm: ["arm"],
  ia32: ["386"],
  ppc64: ["ppc64le", "ppc64"],
  s390x: ["s390x"],
  riscv64: ["riscv64"],
  loong64: ["loong64"],
};

/** Whether a machine that Node.js calls `nodeArchitecture` runs such a program; what it does not know is not held against it. */
export const runsOn = (architecture: string, nodeArchitecture: string): boolean => architecture === "script" || (OF_NODE[nodeArchitecture]?.includes(architecture) ?? true);
