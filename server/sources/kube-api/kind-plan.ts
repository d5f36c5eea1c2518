import type { Observation, WatchedKind } from "../../domain/observation";
import type { Query } from "./path";

/** What a usable object becomes: the key that it is known by, and what is told of it. */
export interface Projected {
  readonly key: string;
  readonly observation: Observation;
}

/** How one kind is listed, watched and told. */
export interface KindPlan {
  readonly kind: WatchedKind;
  readonly segments: readonly string[];
  readonly query: Query;
  /** Whether the API server sends bookmarks about every minute, so that silence means a dead stream. */
  readonly bookmarks: boolean;
  /** For the message where it is refused: "list and watch pods in all namespaces". */
  readonly right: string;
  /**
   * Whether the version of each object that was told is kept, so that a new list tells only what changed. Not for pods:
   * there are too many of them, and their lists are few.
   */
  readonly keepsVersions: boolean;
  /** Past the most objects that are kept: `fail` (a part of the nodes or pods would make wrong answers), or `cut` (some events are better than none). */
  readonly overflow: "fail" | "cut";
  /** "ignored": not one that we keep. `undefined`: unusable. */
  project(raw: unknown, atMs: number): Projected | "ignored" | undefined;
  /** The key of an object, also of one that is being deleted; `undefined` where it has none. */
  keyOf(raw: unknown): string | undefined;
  /** What is told when the object of that key is gone; absent: nothing (events outlive their hour). */
  gone?(key: string, atMs: number): Observation;
}

export interface WatchCounts {
  /** Lists begun, pages read, streams opened. */
  lists: number;
  pages: number;
  streams: number;
  /** 410s, resourceVersions that went back, streams without a byte. */
  gone: number;
  wentBack: number;
  stalls: number;
  /** Half lines at the end of streams, lines and items past the bound, lines that are no watch event. */
  halfLines: number;
  tooLong: number;
  garbage: number;
  /** Objects without name or uid. */
  unusable: number;
  failures: number;
}

export const noCounts = (): WatchCounts => ({ lists: 0, pages: 0, streams: 0, gone: 0, wentBack: 0, stalls: 0, halfLines: 0, tooLong: 0, garbage: 0, unusable: 0, failures: 0 });
