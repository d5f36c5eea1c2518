import type { Clock } from "../../clock";
import type { KindStatus, Observe } from "../../domain/observation";
import type { Log } from "../../log";
import { backoffMs } from "./backoff";
import { MAX_RETRY_AFTER_MS } from "./body";
import type { Connection } from "./connection";
import { noCounts, type KindPlan, type WatchCounts } from "./kind-plan";
import type { WatchLimits } from "./limits";
import { listAll } from "./list";
import type { Outcome } from "./outcome";
import { isOlder, versionOf } from "./resource-version";
import { watchOnce } from "./stream";
import { IMPOSSIBLE, WATCH_TABLE, type Pause, type WatchState } from "./watch-machine";

export interface WatchOptions {
  readonly connection: Connection;
  readonly plan: KindPlan;
  readonly limits: WatchLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly observe: Observe;
  readonly signal: AbortSignal;
  /** Called after the first list, or the first time that there can be none. */
  readonly onSettled?: () => void;
}

/** The list+watch of one kind, until `signal` ends it. Drives the table of watch-machine.ts. */
export class KindWatch {
  readonly counts: WatchCounts = noCounts();
  #state: WatchState = "listing";
  /** Objects that were told and are not gone. */
  #known = new Set<string>();
  /** The resourceVersion of them that was told, where the kind keeps it. */
  #versions = new Map<string, string>();
  /** Whether a list may leave out what it told before; not where the history itself is in doubt. */
  #skipUnchanged = false;
  #version: string | undefined;
  /** Failures without a break; sets the pause, and ends only with progress. */
  #attempt = 0;
  /** Failures of the watch alone since its list. */
  #watchFailures = 0;
  /** 410s inside a list since the last whole one. */
  #listRestarts = 0;
  #reason: string | undefined;
  /** What the last list left out, if anything. */
  #note: string | undefined;
  /** Since the first failure after the last progress; an opened stream alone does not end it. */
  #brokenSinceMs: number | undefined;
  #failing = false;
  #lastMs: number | undefined;
  #listedMs = 0;
  #told: KindStatus;

  constructor(private readonly options: WatchOptions) {
    this.#told = { kind: options.plan.kind, state: "listing", objects: 0 };
  }

  status(): KindStatus {
    const state = this.#stateTold();
    const reason = state === "listing" || state === "watching" ? this.#note : this.#reason;
    return {
      kind: this.options.plan.kind,
      state,
      objects: this.#known.size,
      // It stands in the middle of sentences.
      ...(reason === undefined ? {} : { reason: reason.replace(/\.$/, "") }),
      ...(this.#lastMs === undefined ? {} : { lastMs: this.#lastMs }),
      ...(this.#failing && this.#brokenSinceMs !== undefined ? { failingSinceMs: this.#brokenSinceMs } : {}),
    };
  }

  #stateTold(): KindStatus["state"] {
    if (this.#state === "forbidden" || this.#state === "absent") return this.#state;
    if (this.#failing) return "failing";
    return this.#state === "listing" || this.#state === "list-pause" ? "listing" : "watching";
  }

  /** Ends, never throws, once the signal is aborted. */
  async run(): Promise<void> {
    this.#tell();
    while (this.#state !== "stopped") {
      const outcome = await this.#act();
      const pauseMs = this.#step(outcome);
      if (pauseMs !== undefined) await this.#sleep(pauseMs);
    }
  }

  async #act(): Promise<Outcome> {
    if (this.options.signal.aborted) return { input: "stopped" };
    try {
      if (this.#state === "listing") return await this.#list();
      if (this.#state === "watching") return await this.#watch();
      return { input: "due" };
    } catch (error) {
      // Ours, not the server's: nothing of a list or a stream throws. Said loudly, and tried again like any failure.
      this.options.log.error({ err: error, kind: this.options.plan.kind }, "the watch itself failed");
      return { input: "failed", reason: `Sandglass itself failed here: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  /** Takes the table's step; the pause in ms where there is one. */
  #step(outcome: Outcome): number | undefined {
    const step = WATCH_TABLE[this.#state][outcome.input];
    if (step === IMPOSSIBLE) {
      this.options.log.error({ kind: this.options.plan.kind, state: this.#state, input: outcome.input }, "the watch met what cannot happen; it lists anew");
      this.#state = "list-pause";
      return backoffMs(this.#attempt++, this.options.random);
    }
    const before = this.#state;
    this.#state = step.to;
    if (outcome.input !== "due") this.#account(outcome, before);
    if (this.#state === "watch-pause" && (this.#watchFailures >= this.options.limits.watchTries || this.#isListOld())) this.#state = "list-pause";
    return step.pause === "none" ? undefined : this.#pauseMs(step.pause, outcome.retryAfterMs);
  }

  #account(outcome: Outcome, before: WatchState): void {
    const { counts, options } = this;
    switch (outcome.input) {
      case "listed":
        this.#succeeded();
        this.#listRestarts = 0;
        this.#listedMs = options.clock.now();
        this.#watchFailures = 0;
        this.#note = outcome.reason;
        this.#skipUnchanged = true;
        break;
      case "gone":
        this.#skipUnchanged = false;
        counts.gone += 1;
        this.#attempt += 1;
        if (before === "listing") this.#listRestarts += 1;
        break;
      case "went-back":
        this.#skipUnchanged = false;
        counts.wentBack += 1;
        this.#attempt += 1;
        break;
      case "failed":
      case "too-many":
        counts.failures += 1;
        this.#attempt += 1;
        if (before === "watching") this.#watchFailures += 1;
        this.#failing = true;
        this.#brokenSinceMs ??= options.clock.now();
        this.#reason = outcome.reason;
        break;
      case "forbidden":
      case "absent":
        this.#failing = false;
        this.#brokenSinceMs = undefined;
        this.#reason = outcome.reason;
        break;
      case "ended":
      case "stalled":
      case "silent":
        this.#attempt = 0;
        this.#watchFailures = 0;
        break;
      case "due":
      case "stopped":
        return;
    }
    if (this.#state !== "watching") options.log.debug({ kind: options.plan.kind, state: this.#state, input: outcome.input, reason: outcome.reason }, "watch");
    this.#tell();
    if (outcome.input !== "ended" && outcome.input !== "gone") options.onSettled?.();
  }

  #pauseMs(pause: Exclude<Pause, "none">, retryAfterMs = 0): number {
    const { random, limits } = this.options;
    const floorMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    switch (pause) {
      case "breath":
        return Math.max(floorMs, random() * limits.breathMs);
      case "backoff":
        return backoffMs(this.#attempt - 1, random, floorMs);
      case "slow":
        return Math.max(floorMs, limits.slowMs * (0.5 + random()));
    }
  }

  async #list(): Promise<Outcome> {
    const { options } = this;
    const found = new Set<string>();
    const { resourceVersion, ...outcome } = await listAll({
      connection: options.connection,
      plan: options.plan,
      limits: options.limits,
      counts: this.counts,
      signal: options.signal,
      paged: this.#listRestarts < options.limits.pagedTries,
      onItem: (raw) => {
        const key = this.#object(raw, this.#skipUnchanged);
        if (key !== undefined) found.add(key);
        return found.size;
      },
    });
    if (outcome.input !== "listed") return outcome;
    const before = this.#version;
    this.#version = resourceVersion;
    // Another history, in which the same version need not mean the same object: tell all of it.
    if (this.#skipUnchanged && resourceVersion !== undefined && before !== undefined && isOlder(resourceVersion, before)) return { input: "went-back", reason: `the list is at ${resourceVersion}, before ${before}` };
    this.#known = found;
    for (const key of this.#versions.keys()) if (!found.has(key)) this.#versions.delete(key);
    options.observe({ source: "api", type: "listed", atMs: options.clock.now(), kind: options.plan.kind, keys: new Set(found) });
    return outcome;
  }

  #watch(): Promise<Outcome> {
    const { options } = this;
    return watchOnce({
      connection: options.connection,
      plan: options.plan,
      limits: options.limits,
      counts: this.counts,
      clock: options.clock,
      random: options.random,
      signal: options.signal,
      version: this.#version,
      onOpen: () => {
        this.#failing = false;
        this.#tell();
      },
      onChange: (type, raw) => {
        if (type === "DELETED") this.#forget(options.plan.keyOf(raw));
        else this.#object(raw, true);
      },
      isFull: () => options.plan.overflow === "fail" && this.#isFull(),
      onProgress: (version) => {
        this.#version = version;
        this.#attempt = 0;
        this.#watchFailures = 0;
        this.#succeeded();
        this.#tell();
      },
    });
  }

  /** Tells one object, unless that version of it was told before, and returns its key where it is one that we keep. */
  #object(raw: unknown, skipUnchanged: boolean): string | undefined {
    const { plan, clock, observe } = this.options;
    const projected = plan.project(raw, clock.now());
    if (projected === undefined) {
      this.counts.unusable += 1;
      return undefined;
    }
    if (projected === "ignored") {
      this.#forget(plan.keyOf(raw));
      return undefined;
    }
    const version = plan.keepsVersions ? versionOf(raw) : undefined;
    if (skipUnchanged && version !== undefined && this.#versions.get(projected.key) === version) return projected.key;
    // Past the bound an event is still told, but not counted as held.
    if (plan.overflow === "fail" || !this.#isFull()) {
      this.#known.add(projected.key);
      if (version !== undefined) this.#versions.set(projected.key, version);
    }
    observe(projected.observation);
    return projected.key;
  }

  #isListOld(): boolean {
    return this.options.clock.now() - this.#listedMs >= this.options.limits.relistMs;
  }

  #isFull(): boolean {
    return this.#known.size > this.options.limits.maxObjects[this.options.plan.kind];
  }

  #forget(key: string | undefined): void {
    const { plan, clock, observe } = this.options;
    if (key === undefined || !this.#known.delete(key)) return;
    this.#versions.delete(key);
    if (plan.gone !== undefined) observe(plan.gone(key, clock.now()));
  }

  #succeeded(): void {
    this.#lastMs = this.options.clock.now();
    this.#failing = false;
    this.#brokenSinceMs = undefined;
    this.#reason = undefined;
  }

  /** Tells the status where it changed, and at least every `statusMs` while only its time does. */
  #tell(): void {
    const status = this.status();
    const told = this.#told;
    const same = status.state === told.state && status.reason === told.reason && status.failingSinceMs === told.failingSinceMs && (status.lastMs === undefined) === (told.lastMs === undefined);
    if (same && (status.lastMs ?? 0) - (told.lastMs ?? 0) < this.options.limits.statusMs && told.lastMs !== undefined) return;
    this.#told = status;
    this.options.observe({ source: "api", type: "kind-status", atMs: this.options.clock.now(), status });
  }

  #sleep(ms: number): Promise<void> {
    const { clock, signal } = this.options;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = () => {
        cancel();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const cancel = clock.after(ms, wake);
      signal.addEventListener("abort", wake);
    });
  }
}
