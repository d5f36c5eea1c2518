import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { Prisma, PrismaClient } from "./generated/client";
import { tempStore } from "./testing/temp-store";

describe("the migrations", () => {
  it("make every table and column that the Prisma schema describes", async () => {
    const store = tempStore();
    const client = new PrismaClient({ adapter: new PrismaBetterSqlite3({ url: store.file }) });
    try {
      const delegates = client as unknown as Record<string, { findFirst(): Promise<unknown> } | undefined>; // its properties are named after the models
      const models = Object.keys(Prisma.ModelName);
      expect(models).toContain("SampleRaw");
      for (const model of models) {
        const delegate = delegates[model.charAt(0).toLowerCase() + model.slice(1)];
        expect(delegate, model).toBeDefined();
        await delegate?.findFirst(); // names every column
      }
    } finally {
      await client.$disconnect();
      store.remove();
    }
  });

  it("keep the rows of one series side by side", () => {
    const store = tempStore();
    const db = new Database(store.file, { readonly: true });
    try {
      for (const table of ["sample_raw", "sample_minute", "sample_five_minutes"]) {
        expect(db.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").pluck().get(table)).toMatch(/PRIMARY KEY \("series", "at"\)\s*\) WITHOUT ROWID$/);
      }
    } finally {
      db.close();
      store.remove();
    }
  });
});
