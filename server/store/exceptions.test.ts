import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditEntry } from "../domain/permit";
import { openIngest } from "./ingest";
import { MAX_EXCEPTIONS, type State } from "./state-types";
import { permit } from "./testing/actions";
import { closeStore, openWholeStore, type OpenStore } from "./testing/open-store";
import { T0 } from "./testing/temp-store";
import type { Ingest, Reader } from "./types";

let store: OpenStore["store"];
let ingest: Ingest;
let reader: Reader;
let state: State;
beforeEach(() => {
  ({ store, ingest, reader, state } = openWholeStore());
});
afterEach(() => closeStore({ store, ingest, reader, state }));

const CODE = "oom-victim-candidate";
const entry = (verb: string): AuditEntry => ({ atMs: T0 + 5_000, actor: "anna", verb, object: `cause/${CODE}`, requestId: "r", outcome: "done", detail: {} });
const accept = (subject: string, reason = "known") => state.acceptException(permit, entry("cause.accept"), { code: CODE, subject, reason });
const audited = async (): Promise<readonly string[]> => (await state.auditEntries({ limit: 10 })).map(({ verb }) => verb);

describe("what is accepted", () => {
  it("is read by the collector and by pages with who, when and why, and outlives a restart", async () => {
    await accept("kube-system/b", "why");
    await accept("kube-system/a");
    const told = [{ code: CODE, subject: "kube-system/a", reason: "known", by: "anna", atMs: T0 + 5_000 }, { code: CODE, subject: "kube-system/b", reason: "why", by: "anna", atMs: T0 + 5_000 }];
    expect(reader.exceptions()).toEqual(told);
    ingest.close();
    ingest = openIngest({ file: store.file, nowMs: T0 + 60_000 });
    expect(ingest.exceptions()).toEqual(told);
  });

  it("has an audit row for each word of it, and none for a withdrawal of nothing", async () => {
    await accept("kube-system/a");
    expect(await state.withdrawException(permit, entry("cause.withdraw"), { code: CODE, subject: "kube-system/a" })).toBe(true);
    expect(await state.withdrawException(permit, entry("cause.withdraw"), { code: CODE, subject: "kube-system/a" })).toBe(false);
    expect(reader.exceptions()).toEqual([]);
    expect(await audited()).toEqual(["cause.withdraw", "cause.accept"]);
  });

  it("has a bound, at which a new reason for what is there still fits", async () => {
    const db = new Database(store.file);
    const insert = db.prepare(`INSERT INTO cause_exception (code, subject, reason, "by", at_ms) VALUES (?, ?, 'r', 'b', 1)`);
    db.transaction(() => {
      for (let one = 0; one < MAX_EXCEPTIONS; one += 1) insert.run(CODE, `kube-system/d-${one}`);
    })();
    db.close();
    expect(await accept("kube-system/more")).toBe("too-many");
    expect(await accept("kube-system/d-0", "new")).toBe("done");
    expect(reader.exceptions()).toHaveLength(MAX_EXCEPTIONS);
    expect(await audited()).toEqual(["cause.accept"]);
  });

  it("of a cause that there is no more counts for nothing", () => {
    const db = new Database(store.file);
    db.prepare(`INSERT INTO cause_exception (code, subject, reason, "by", at_ms) VALUES ('of-an-older-version', 'a/b', 'r', 'b', 1)`).run();
    db.close();
    expect(ingest.exceptions()).toEqual([]);
  });
});
