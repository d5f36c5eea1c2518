import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { prepareFile, type PreparedFile } from "../file";

export const MIGRATIONS_DIR = path.resolve(import.meta.dirname, "../../../prisma/migrations");
/** A fixed start for tests' clocks, a whole five minutes. */
export const T0 = Date.UTC(2026, 5, 1, 12, 0, 0);

/** A real data file in a folder of its own; `remove` takes both away. */
export function tempStore(options: { readonly nowMs?: number; readonly uid?: string } = {}): PreparedFile & { readonly dir: string; remove(): void } {
  const dir = mkdtempSync(path.join(tmpdir(), "sandglass-test-"));
  const prepared = prepareFile({ dataDir: dir, clusterUid: options.uid ?? "test-cluster", simulated: false, nowMs: options.nowMs ?? T0, migrationsDir: MIGRATIONS_DIR });
  return { ...prepared, dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
