import path from "node:path";
import { defineConfig } from "prisma/config";

// Prisma's own schema engine is a download; this one comes with the packages and works offline.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= path.join(import.meta.dirname, "server/dev/prisma-schema-engine.mjs");

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  // For `prisma migrate` by hand alone: the product opens its files itself.
  datasource: { url: process.env.DATABASE_URL ?? "file:./data/development.db" },
});
