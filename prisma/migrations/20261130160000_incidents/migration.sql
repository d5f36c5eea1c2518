-- Edited by hand: WITHOUT ROWID where rows are read by their whole key.
-- CreateTable
CREATE TABLE "incident" (
    "id" INTEGER NOT NULL PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "scope" TEXT NOT NULL,
    "node" TEXT,
    "fleet" INTEGER,
    "state" TEXT NOT NULL,
    "sign_ms" BIGINT NOT NULL,
    "opened_ms" BIGINT,
    "closed_ms" BIGINT,
    "json" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "incident_entry" (
    "incident" INTEGER NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "detail" TEXT,

    PRIMARY KEY ("incident", "ordinal"),
    CONSTRAINT "incident_entry_incident_fkey" FOREIGN KEY ("incident") REFERENCES "incident" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "incident_kept" (
    "incident" INTEGER NOT NULL,
    "node" TEXT NOT NULL,
    "from_ms" BIGINT NOT NULL,
    "to_ms" BIGINT NOT NULL,

    PRIMARY KEY ("node", "from_ms", "incident"),
    CONSTRAINT "incident_kept_incident_fkey" FOREIGN KEY ("incident") REFERENCES "incident" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "incident_people" (
    "incident" INTEGER NOT NULL PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "title" TEXT,
    "titled_by" TEXT,
    "titled_ms" BIGINT,
    "acknowledged_by" TEXT,
    "acknowledged_ms" BIGINT,
    CONSTRAINT "incident_people_incident_fkey" FOREIGN KEY ("incident") REFERENCES "incident" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "incident_note" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "incident" INTEGER NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "by" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    CONSTRAINT "incident_note_incident_fkey" FOREIGN KEY ("incident") REFERENCES "incident" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "cluster_change" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "at_ms" BIGINT NOT NULL,
    "node" TEXT,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "diff" TEXT
);

-- CreateIndex
CREATE INDEX "incident_state_id_idx" ON "incident"("state", "id");

-- CreateIndex
CREATE INDEX "incident_node_id_idx" ON "incident"("node", "id");

-- CreateIndex
CREATE INDEX "incident_fleet_idx" ON "incident"("fleet");

-- CreateIndex
CREATE INDEX "incident_seq_idx" ON "incident"("seq");

-- CreateIndex
CREATE INDEX "incident_closed_ms_idx" ON "incident"("closed_ms");

-- CreateIndex
CREATE INDEX "incident_kept_incident_idx" ON "incident_kept"("incident");

-- CreateIndex
CREATE INDEX "incident_people_seq_idx" ON "incident_people"("seq");

-- CreateIndex
CREATE INDEX "incident_note_incident_idx" ON "incident_note"("incident");

-- CreateIndex
CREATE INDEX "cluster_change_node_at_ms_idx" ON "cluster_change"("node", "at_ms");

-- CreateIndex
CREATE INDEX "cluster_change_at_ms_idx" ON "cluster_change"("at_ms");
