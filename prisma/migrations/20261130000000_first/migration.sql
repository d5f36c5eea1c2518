-- Edited by hand: WITHOUT ROWID on the tables of samples, so that rows of one series lie side by side.
-- CreateTable
CREATE TABLE "meta" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "series" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "node" TEXT NOT NULL,
    "signal" TEXT NOT NULL,
    "instance" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "sample_raw" (
    "series" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "value" DECIMAL NOT NULL,

    PRIMARY KEY ("series", "at")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "sample_minute" (
    "series" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "min" DECIMAL NOT NULL,
    "max" DECIMAL NOT NULL,
    "last" DECIMAL NOT NULL,
    "last_offset_ms" INTEGER NOT NULL,
    "sum" DECIMAL NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("series", "at")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "sample_five_minutes" (
    "series" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "min" DECIMAL NOT NULL,
    "max" DECIMAL NOT NULL,
    "last" DECIMAL NOT NULL,
    "last_offset_ms" INTEGER NOT NULL,
    "sum" DECIMAL NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("series", "at")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "rollup_late" (
    "series" INTEGER NOT NULL,
    "step" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,

    PRIMARY KEY ("series", "step", "at")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "rollup_progress" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "done_ms" BIGINT NOT NULL,
    "until_ms" BIGINT NOT NULL,
    "cursor" INTEGER NOT NULL,
    "raw_floor_ms" BIGINT NOT NULL,
    "minute_floor_ms" BIGINT NOT NULL,
    "five_floor_ms" BIGINT NOT NULL,
    "raw_gone_ms" BIGINT NOT NULL,
    "minute_gone_ms" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "event" (
    "uid" TEXT NOT NULL PRIMARY KEY,
    "node" TEXT,
    "host" TEXT,
    "namespace" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "first_ms" BIGINT NOT NULL,
    "last_ms" BIGINT NOT NULL,
    "about_kind" TEXT NOT NULL,
    "about_namespace" TEXT,
    "about_name" TEXT NOT NULL,
    "about_uid" TEXT,
    "component" TEXT
);

-- CreateTable
CREATE TABLE "node_view" (
    "node" TEXT NOT NULL PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "json" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "node_gone" (
    "node" TEXT NOT NULL PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "at_ms" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "answer_change" (
    "node" TEXT NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "at_risk" BOOLEAN NOT NULL,
    "idle" BOOLEAN NOT NULL,
    "summary" TEXT NOT NULL,

    PRIMARY KEY ("node", "at_ms")
);

-- CreateTable
CREATE TABLE "source_change" (
    "node" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "fresh" BOOLEAN NOT NULL,
    "reason" TEXT NOT NULL,

    PRIMARY KEY ("node", "source", "at_ms")
);

-- CreateTable
CREATE TABLE "collector_gap" (
    "from_ms" BIGINT NOT NULL PRIMARY KEY,
    "to_ms" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "kubelet_key" (
    "node" TEXT NOT NULL PRIMARY KEY,
    "sha256" TEXT NOT NULL,
    "seen_ms" BIGINT NOT NULL,
    "offered_sha256" TEXT
);

-- CreateTable
CREATE TABLE "collector_status" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "at_ms" BIGINT NOT NULL,
    "json" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "audit" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "at_ms" BIGINT NOT NULL,
    "actor" TEXT NOT NULL,
    "verb" TEXT NOT NULL,
    "object" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "detail" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "action_run" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "request_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "node" TEXT NOT NULL,
    "object" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "before" TEXT NOT NULL,
    "started_ms" BIGINT NOT NULL,
    "finished_ms" BIGINT,
    "seen_ms" BIGINT,
    "error" TEXT
);

-- CreateTable
CREATE TABLE "action_step" (
    "run_id" INTEGER NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "started_ms" BIGINT NOT NULL,
    "finished_ms" BIGINT,
    "before" TEXT,
    "after" TEXT,
    "error" TEXT,

    PRIMARY KEY ("run_id", "ordinal"),
    CONSTRAINT "action_step_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "action_run" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "verification" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "run_id" INTEGER NOT NULL,
    "due_ms" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "verdict" TEXT,
    "done_ms" BIGINT,
    "summary" TEXT,
    "after" TEXT,
    CONSTRAINT "verification_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "action_run" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "series_node_signal_instance_key" ON "series"("node", "signal", "instance");

-- CreateIndex
CREATE INDEX "event_node_last_ms_idx" ON "event"("node", "last_ms");

-- CreateIndex
CREATE INDEX "event_last_ms_idx" ON "event"("last_ms");

-- CreateIndex
CREATE INDEX "node_view_seq_idx" ON "node_view"("seq");

-- CreateIndex
CREATE INDEX "node_gone_seq_idx" ON "node_gone"("seq");

-- CreateIndex
CREATE INDEX "answer_change_at_ms_idx" ON "answer_change"("at_ms");

-- CreateIndex
CREATE INDEX "source_change_at_ms_idx" ON "source_change"("at_ms");

-- CreateIndex
CREATE INDEX "audit_at_ms_idx" ON "audit"("at_ms");

-- CreateIndex
CREATE INDEX "audit_request_id_idx" ON "audit"("request_id");

-- CreateIndex
CREATE UNIQUE INDEX "action_run_request_id_key" ON "action_run"("request_id");

-- CreateIndex
CREATE INDEX "action_run_node_started_ms_idx" ON "action_run"("node", "started_ms");

-- CreateIndex
CREATE INDEX "action_run_object_started_ms_idx" ON "action_run"("object", "started_ms");

-- CreateIndex
CREATE INDEX "action_run_state_idx" ON "action_run"("state");

-- CreateIndex
CREATE INDEX "verification_state_due_ms_idx" ON "verification"("state", "due_ms");

-- CreateIndex
CREATE UNIQUE INDEX "verification_run_id_due_ms_key" ON "verification"("run_id", "due_ms");


