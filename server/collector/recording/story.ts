import { allFiring } from "../../domain/causes/diagnose";
import type { CauseCode } from "../../domain/causes/codes";
import type { NodeView } from "../../domain/node-view";

/** What became of one node at one moment. */
export type StoryEntry =
  | { readonly atMs: number; readonly node: string; readonly kind: "answer"; readonly state: "yes" | "no" | "unknown"; readonly atRisk: boolean; readonly idle: boolean; readonly text: string }
  | { readonly atMs: number; readonly node: string; readonly kind: "cause"; readonly code: CauseCode; readonly detail?: string; readonly certainty: "named" | "suspected"; readonly under?: CauseCode; readonly text: string }
  /** `unseen`: it fired, and can no longer be looked for. */
  | { readonly atMs: number; readonly node: string; readonly kind: "cause-ended" | "cause-unseen"; readonly code: CauseCode; readonly detail?: string; readonly text: string }
  | { readonly atMs: number; readonly node: string; readonly kind: "gone"; readonly text: string };

/** A recording of a fleet that flaps for a day stays readable; what is beyond is counted. */
export const MAX_STORY_ENTRIES = 50_000;

type Known = ReadonlyMap<string, { readonly code: CauseCode; readonly detail?: string; readonly certainty: "named" | "suspected" }>;

/** Tells what changed from one look at all nodes to the next: answers and causes. */
export class Story {
  readonly entries: StoryEntry[] = [];
  #leftOut = 0;
  readonly #views = new Map<string, NodeView>();
  readonly #causes = new Map<string, Known>();

  /** Entries beyond the bound. */
  get leftOut(): number {
    return this.#leftOut;
  }

  look(atMs: number, views: Iterable<NodeView>): void {
    const there = new Set<string>();
    for (const view of views) {
      there.add(view.name);
      const before = this.#views.get(view.name);
      if (before === view) continue;
      this.#views.set(view.name, view);
      this.#answer(atMs, before, view);
      this.#diagnosis(atMs, view);
    }
    if (there.size === this.#views.size) return;
    for (const node of [...this.#views.keys()]) {
      if (there.has(node)) continue;
      this.#views.delete(node);
      this.#causes.delete(node);
      this.#tell({ atMs, node, kind: "gone", text: "The node left the cluster." });
    }
  }

  #answer(atMs: number, before: NodeView | undefined, { name: node, answer }: NodeView): void {
    const { state, atRisk, idle, summary } = answer;
    if (before?.answer.state === state && before.answer.atRisk === atRisk && before.answer.idle === idle) return;
    this.#tell({ atMs, node, kind: "answer", state, atRisk, idle, text: summary });
  }

  #diagnosis(atMs: number, view: NodeView): void {
    const { name: node } = view;
    const before: Known = this.#causes.get(node) ?? new Map();
    const roots = new Map(view.causes.flatMap(({ code, consequences }) => consequences.map((one) => [keyOf(one), code] as const)));
    const now: Known = new Map(allFiring(view).map((cause) => [keyOf(cause), cause]));
    for (const cause of allFiring(view)) {
      const { code, detail, certainty, summary } = cause;
      if (before.get(keyOf(cause))?.certainty === certainty) continue;
      const under = roots.get(keyOf(cause));
      this.#tell({ atMs, node, kind: "cause", code, certainty, text: summary, ...(detail === undefined ? {} : { detail }), ...(under === undefined ? {} : { under }) });
    }
    const unseen = new Map(view.suspendedCauses.map((one) => [keyOf(one), one.reason]));
    for (const [key, { code, detail }] of before) {
      if (now.has(key)) continue;
      const reason = unseen.get(key);
      this.#tell({ atMs, node, kind: reason === undefined ? "cause-ended" : "cause-unseen", code, text: reason ?? "It is no longer there.", ...(detail === undefined ? {} : { detail }) });
    }
    this.#causes.set(node, now);
  }

  #tell(entry: StoryEntry): void {
    if (this.entries.length < MAX_STORY_ENTRIES) this.entries.push(entry);
    else this.#leftOut += 1;
  }
}

const keyOf = ({ code, detail }: { readonly code: CauseCode; readonly detail?: string }): string => (detail === undefined ? code : `${code}/${detail}`);
