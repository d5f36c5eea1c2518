/** A binary heap that gives the smallest key first and, among equal keys, the one that came first. */
export class MinHeap<T> {
  private readonly entries: { readonly key: number; readonly order: number; readonly value: T }[] = [];
  private order = 0;

  get size(): number {
    return this.entries.length;
  }

  push(key: number, value: T): void {
    const entries = this.entries;
    entries.push({ key, order: this.order++, value });
    let at = entries.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.before(at, parent)) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  peekKey(): number | undefined {
    return this.entries[0]?.key;
  }

  peek(): T | undefined {
    return this.entries[0]?.value;
  }

  pop(): T | undefined {
    const entries = this.entries;
    const first = entries[0];
    const last = entries.pop();
    if (first === undefined || last === undefined) return undefined;
    if (entries.length > 0) {
      entries[0] = last;
      this.sink();
    }
    return first.value;
  }

  clear(): void {
    this.entries.length = 0;
  }

  private sink(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < this.entries.length && this.before(left, least)) least = left;
      if (right < this.entries.length && this.before(right, least)) least = right;
      if (least === at) return;
      this.swap(at, least);
      at = least;
    }
  }

  private before(x: number, y: number): boolean {
    const a = this.entries[x];
    const b = this.entries[y];
    if (a === undefined || b === undefined) return false;
    return a.key < b.key || (a.key === b.key && a.order < b.order);
  }

  private swap(x: number, y: number): void {
    const a = this.entries[x];
    const b = this.entries[y];
    if (a === undefined || b === undefined) return;
    this.entries[x] = b;
    this.entries[y] = a;
  }
}
