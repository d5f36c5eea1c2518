import Database from "better-sqlite3";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { discardSimulatedFiles } from "./discard";
import { prepareFile } from "./file";

test("files of earlier simulated clusters go, a real cluster's and one in use stay", () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "sandglass-discard-"));
  const prepare = (clusterUid: string, simulated: boolean): string => prepareFile({ dataDir, clusterUid, simulated, nowMs: 1, migrationsDir: path.resolve(import.meta.dirname, "../../prisma/migrations") }).file;
  prepare("old", true);
  prepare("real", false);
  const holder = new Database(`${prepare("used", true)}.lock`); // as another process would hold it
  holder.exec("BEGIN EXCLUSIVE");
  expect(discardSimulatedFiles(dataDir, 1)).toEqual(["simulated-old.db"]);
  const left = readdirSync(dataDir).filter((name) => name.endsWith(".db")).sort();
  expect(left).toEqual(["cluster-real.db", "simulated-used.db"]);
  holder.close();
  rmSync(dataDir, { recursive: true, force: true });
});
