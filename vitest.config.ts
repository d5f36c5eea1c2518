import path from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": path.resolve(import.meta.dirname) } },
  test: {
    include: ["server/**/*.test.ts", "components/**/*.test.{ts,tsx}", "app/**/*.test.{ts,tsx}"],
    environment: "node",
    // Many tests wait more than they work: a worker for every core, where the default leaves one free.
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A state that is waited for comes when it comes: one second, the default, is short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    env: { TZ: "UTC" },
  },
});
