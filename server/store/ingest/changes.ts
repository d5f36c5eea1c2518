import type { Db, Statement } from "../sqlite/connection";
import { COLLECTOR_SILENT_MS } from "../tiers";
import type { IngestBatch } from "../types";
import { DAEMON_SETS_KEY, daemonSetsJson } from "./daemon-sets";

/** Longest event text kept; the API server itself allows about a kilobyte. */
export const MAX_EVENT_MESSAGE_CHARS = 8_192;

type EventColumns = [string, string | null, string | null, string, string, string, string, number, number, number, string, string | null, string, string | null, string | null];

/** Everything of a batch that is not a sample. */
export class ChangeWriter {
  readonly #getMeta: Statement<[string], string>;
  readonly #setMeta: Statement<[string, string]>;
  readonly #event: Statement<EventColumns>;
  readonly #view: Statement<[string, number, number, string]>;
  readonly #dropView: Statement<[string]>;
  readonly #gone: Statement<[string, number, number]>;
  readonly #back: Statement<[string]>;
  readonly #answer: Statement<[string, number, string, number, number, string]>;
  readonly #source: Statement<[string, string, number, number, string]>;
  readonly #gap: Statement<[number, number]>;
  readonly #gapEarly: Statement<[number, number, number]>;
  readonly #gapsOver: Statement<[number]>;
  readonly #key: Statement<[string, string, number, string | null]>;
  readonly #status: Statement<[number, string]>;

  constructor(db: Db) {
    this.#getMeta = db.prepare<[string], string>("SELECT value FROM meta WHERE key = ?").pluck();
    this.#setMeta = db.prepare("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value");
    // A relist may tell an older state of an event again: the newer one stays. The node, once known, is not lost.
    this.#event = db.prepare(`INSERT INTO event (uid, node, host, namespace, reason, type, message, count, first_ms, last_ms, about_kind, about_namespace, about_name, about_uid, component)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (uid) DO UPDATE SET node = coalesce(excluded.node, node), host = coalesce(excluded.host, host), reason = excluded.reason, type = excluded.type, message = excluded.message,
        count = max(count, excluded.count), first_ms = min(first_ms, excluded.first_ms), last_ms = excluded.last_ms
      WHERE excluded.last_ms >= last_ms`);
    this.#view = db.prepare("INSERT INTO node_view (node, seq, at_ms, json) VALUES (?, ?, ?, ?) ON CONFLICT (node) DO UPDATE SET seq = excluded.seq, at_ms = excluded.at_ms, json = excluded.json");
    this.#dropView = db.prepare("DELETE FROM node_view WHERE node = ?");
    this.#gone = db.prepare("INSERT INTO node_gone (node, seq, at_ms) VALUES (?, ?, ?) ON CONFLICT (node) DO UPDATE SET seq = excluded.seq, at_ms = excluded.at_ms");
    this.#back = db.prepare("DELETE FROM node_gone WHERE node = ?");
    this.#answer = db.prepare("INSERT OR REPLACE INTO answer_change (node, at_ms, state, at_risk, idle, summary) VALUES (?, ?, ?, ?, ?, ?)");
    this.#source = db.prepare("INSERT OR REPLACE INTO source_change (node, source, at_ms, fresh, reason) VALUES (?, ?, ?, ?, ?)");
    this.#gap = db.prepare("INSERT OR IGNORE INTO collector_gap (from_ms, to_ms) VALUES (?, ?)");
    this.#gapEarly = db.prepare("UPDATE collector_gap SET from_ms = ? WHERE from_ms < ? AND to_ms > ?");
    this.#gapsOver = db.prepare("DELETE FROM collector_gap WHERE to_ms - from_ms <= ?");
    // The accepted key is a person's word: what the collector believed a moment earlier only ever offers another one, or takes the offer back while it still believes in the same.
    this.#key = db.prepare(
      "INSERT INTO kubelet_key (node, sha256, seen_ms, offered_sha256) VALUES (?, ?, ?, ?) ON CONFLICT (node) DO UPDATE SET offered_sha256 = excluded.offered_sha256 WHERE CASE WHEN excluded.offered_sha256 IS NULL THEN excluded.sha256 = kubelet_key.sha256 ELSE excluded.offered_sha256 <> kubelet_key.sha256 END",
    );
    this.#status = db.prepare("INSERT OR REPLACE INTO collector_status (id, at_ms, json) VALUES (1, ?, ?)");
  }

  /** Within the caller's transaction. Returns the batch's sequence number. */
  write(batch: IngestBatch): number {
    const seq = Number(this.#getMeta.get("seq") ?? 0) + 1;
    this.#setMeta.run("seq", String(seq));
    this.#noteTime(batch.atMs);
    for (const event of batch.events) {
      const node = event.node ?? event.host ?? (event.about.kind === "Node" ? event.about.name : null);
      const message = event.message.length <= MAX_EVENT_MESSAGE_CHARS ? event.message : `${event.message.slice(0, MAX_EVENT_MESSAGE_CHARS)}…`;
      this.#event.run(event.uid, node, event.host ?? null, event.namespace, event.reason, event.type, message, event.count, event.firstMs, event.lastMs, event.about.kind, event.about.namespace ?? null, event.about.name, event.about.uid ?? null, event.component ?? null);
    }
    for (const view of batch.views) {
      this.#view.run(view.name, seq, batch.atMs, JSON.stringify(view));
      this.#back.run(view.name);
    }
    for (const { node, atMs, state, atRisk, idle, summary } of batch.answers) this.#answer.run(node, atMs, state, atRisk ? 1 : 0, idle ? 1 : 0, summary);
    for (const node of batch.gone) {
      this.#dropView.run(node);
      this.#gone.run(node, seq, batch.atMs);
      this.#answer.run(node, batch.atMs, "gone", 0, 0, "");
    }
    for (const { node, source, atMs, fresh, reason } of batch.sources) this.#source.run(node, source, atMs, fresh ? 1 : 0, reason);
    for (const { node, sha256, seenMs, offeredSha256 } of batch.kubeletKeys) this.#key.run(node, sha256, seenMs, offeredSha256 ?? null);
    if (batch.daemonSets !== undefined) this.#setMeta.run(DAEMON_SETS_KEY, daemonSetsJson(batch.daemonSets));
    if (batch.status !== undefined) this.#status.run(batch.atMs, JSON.stringify(batch.status));
    return seq;
  }

  #noteTime(atMs: number): void {
    const newest = this.#getMeta.get("newest_ms");
    const newestMs = newest === undefined ? atMs : Number(newest);
    if (atMs > newestMs + COLLECTOR_SILENT_MS) this.#gap.run(newestMs, atMs);
    if (atMs < newestMs) {
      // A history that is filled in later covers the stretch from its start on.
      this.#gapEarly.run(atMs, atMs, atMs);
      this.#gapsOver.run(COLLECTOR_SILENT_MS);
    }
    if (newest === undefined || atMs > newestMs) this.#setMeta.run("newest_ms", String(atMs));
    this.#setMeta.run("last_ms", String(atMs)); // older than the newest while a history is filled in, or after a clock step
  }
}
