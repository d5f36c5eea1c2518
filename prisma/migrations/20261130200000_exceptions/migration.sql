-- CreateTable
CREATE TABLE "cause_exception" (
    "code" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at_ms" BIGINT NOT NULL,

    PRIMARY KEY ("code", "subject")
);
