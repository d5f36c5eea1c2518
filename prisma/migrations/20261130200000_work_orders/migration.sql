-- CreateTable
CREATE TABLE "work_order" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "run_id" INTEGER,
    "node" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "order" TEXT NOT NULL,
    "issued_ms" BIGINT NOT NULL,
    "take_by_ms" BIGINT NOT NULL,
    "expires_ms" BIGINT NOT NULL,
    "taken_ms" BIGINT,
    "ended_ms" BIGINT,
    "outcome" TEXT,
    CONSTRAINT "work_order_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "action_run" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "work_order_run_id_key" ON "work_order"("run_id");

-- CreateIndex
CREATE INDEX "work_order_state_issued_ms_idx" ON "work_order"("state", "issued_ms");

-- CreateIndex
CREATE INDEX "work_order_node_issued_ms_idx" ON "work_order"("node", "issued_ms");
