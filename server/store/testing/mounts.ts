import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Why no file system can be mounted here; `undefined` where it can. */
export function cannotMount(): string | undefined {
  if (process.getuid?.() !== 0) return "only root can mount a small file system";
  try {
    tinyDisk(1).remove();
    return undefined;
  } catch (error) {
    return `mount failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export interface TinyDisk {
  readonly dir: string;
  readOnly(yes: boolean): void;
  remove(): void;
}

/** A file system of its own, in memory. */
export function tinyDisk(megabytes: number): TinyDisk {
  const dir = mkdtempSync(path.join(tmpdir(), "sandglass-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", dir], { stdio: "pipe" });
  return {
    dir,
    readOnly: (yes) => void execFileSync("mount", ["-o", `remount,${yes ? "ro" : "rw"}`, dir], { stdio: "pipe" }),
    remove: () => {
      execFileSync("umount", [dir], { stdio: "pipe" });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
