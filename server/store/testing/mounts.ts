import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  /** Takes the last byte. */
  fillUp(): void;
  makeRoom(): void;
  remove(): void;
}

/** A file system of its own, in memory. */
export function tinyDisk(megabytes: number): TinyDisk {
  const dir = mkdtempSync(path.join(tmpdir(), "sandglass-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", dir], { stdio: "pipe" });
  const fillers: string[] = [];
  return {
    dir,
    fillUp: () => {
      for (const size of [1 << 20, 1 << 16, 1 << 12]) {
        for (;;) {
          const filler = path.join(dir, `filler-${fillers.length}`);
          fillers.push(filler);
          try {
            writeFileSync(filler, Buffer.alloc(size));
          } catch {
            break; // full, which is what was wanted
          }
        }
      }
    },
    makeRoom: () => {
      for (const filler of fillers.splice(0)) rmSync(filler, { force: true });
    },
    readOnly: (yes) => void execFileSync("mount", ["-o", `remount,${yes ? "ro" : "rw"}`, dir], { stdio: "pipe" }),
    remove: () => {
      execFileSync("umount", [dir], { stdio: "pipe" });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
