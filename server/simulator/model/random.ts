/**
 * Seeded random numbers (sfc32, seeded through a string hash). Every node draws from a stream of its own, so that what
 * happens on one node never changes what happens on another.
 */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private d: number;

  constructor(private readonly seed: string) {
    const next = stringHash(seed);
    this.a = next();
    this.b = next();
    this.c = next();
    this.d = next();
    for (let i = 0; i < WARM_UP_DRAWS; i++) this.word();
  }

  /** An independent stream; the same seed and label give the same stream. */
  fork(label: string): Random {
    return new Random(`${this.seed}/${label}`);
  }

  /** 0 up to, not including, 1. */
  float(): number {
    return this.word() / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.float();
  }

  int(below: number): number {
    return Math.floor(this.float() * below);
  }

  pick<T>(items: readonly T[], fallback: T): T {
    return items[this.int(items.length)] ?? fallback;
  }

  hex(digits: number): string {
    let text = "";
    while (text.length < digits) text += this.word().toString(16).padStart(8, "0");
    return text.slice(0, digits);
  }

  uuid(): string {
    const h = this.hex(32);
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
  }

  /** The letters that Kubernetes makes generated names of. */
  suffix(letters: number): string {
    let text = "";
    for (let i = 0; i < letters; i++) text += NAME_LETTERS[this.int(NAME_LETTERS.length)] ?? "x";
    return text;
  }

  private word(): number {
    const t = (this.a + this.b + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (this.c << 21) | (this.c >>> 11);
    this.c = (this.c + t) | 0;
    return t >>> 0;
  }
}

const WARM_UP_DRAWS = 12;
const NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789";

function stringHash(text: string): () => number {
  let h = 1_779_033_703 ^ text.length;
  for (let i = 0; i < text.length; i++) {
    h = Math.imul(h ^ text.charCodeAt(i), 3_432_918_353);
    h = (h << 13) | (h >>> 19);
  }
  return () => {
    h = Math.imul(h ^ (h >>> 16), 2_246_822_507);
    h = Math.imul(h ^ (h >>> 13), 3_266_489_909);
    return (h ^= h >>> 16) >>> 0;
  };
}
