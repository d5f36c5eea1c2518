import { BIN_DIR, type NodeFiles } from "./files";
import type { NodeHost } from "./host";
import { SHIM } from "./texts";

/**
 * How the init container puts the shim in its place: a temporary file that is renamed, a plain copy over the old one, a copy that unlinks
 * the old one first, or a script that tells of its failure and ends well all the same.
 */
export type Installer = "install_multus" | "cp" | "cp -f" | "script";

export interface Installed {
  readonly exitCode: number;
  readonly message?: string;
}

const IN_CONTAINER = `/host${BIN_DIR}/${SHIM}`;

export function install(installer: Installer, files: NodeFiles, host: NodeHost, version: string, isBusy: (inode: number) => boolean, nowMs: number): Installed {
  if (host.binDirReadOnly) return readOnly(installer);
  const old = files.bin.get(SHIM);
  // The kernel refuses to write into a program that somebody runs.
  if (installer === "cp" && old !== undefined && isBusy(old.inode)) return { exitCode: 1, message: `cp: cannot create regular file '${IN_CONTAINER}': Text file busy\n` };
  files.installShim(nowMs, version);
  return { exitCode: 0 };
}

function readOnly(installer: Installer): Installed {
  if (installer === "script") return { exitCode: 0, message: `WARN: failed to install multus-shim: cp: cannot create regular file '${IN_CONTAINER}': Read-only file system\n` };
  const message = installer === "install_multus" ? `failed to copy multus-shim: open ${IN_CONTAINER}.tmp: read-only file system\n` : `cp: cannot create regular file '${IN_CONTAINER}': Read-only file system\n`;
  return { exitCode: 1, message };
}

/** Which of them a command line is. */
export function installerOf(command: readonly string[]): Installer {
  const text = command.join(" ");
  if (text.includes("install_multus")) return "install_multus";
  if (text.includes("||")) return "script";
  return /\bcp\s+(-\w*f|--force|--remove-destination)/.test(text) ? "cp -f" : "cp";
}

const SOURCE = "/usr/src/multus-cni/bin/multus-shim";

/** The command line of each. */
export function installerCommand(installer: Installer): readonly string[] {
  if (installer === "install_multus") return ["/usr/src/multus-cni/bin/install_multus", "-d", `/host${BIN_DIR}`, "-t", "thick"];
  if (installer === "script") return ["sh", "-c", `cp ${SOURCE} /host${BIN_DIR}/ 2>/tmp/why || echo "WARN: failed to install multus-shim: $(cat /tmp/why)" > /dev/termination-log`];
  return ["cp", ...(installer === "cp -f" ? ["-f"] : []), SOURCE, `/host${BIN_DIR}/multus-shim`];
}
