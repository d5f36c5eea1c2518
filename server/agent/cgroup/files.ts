import { readProcFile } from "../proc/proc-files";
import { isAbsent } from "../host-fs";

/** Texts of a cgroup's files. Pure but for the reading itself. */
const MAX_FILE_BYTES = 64 * 1024;

/** Undefined where there is no such file: an older kernel, a controller that is off, or a container that has ended. */
export async function readCgroupFile(dir: string, name: string): Promise<string | undefined> {
  try {
    return (await readProcFile(`${dir}/${name}`, MAX_FILE_BYTES)).toString("latin1");
  } catch (error) {
    if (isAbsent(error) || isGone(error)) return undefined;
    throw error;
  }
}

/** ENODEV: the cgroup was removed while its file was open. EOPNOTSUPP: this kernel has the file, but not what it tells (PSI turned off). */
const isGone = (error: unknown): boolean => error instanceof Error && "code" in error && (error.code === "ENODEV" || error.code === "EOPNOTSUPP" || error.code === "ENOTSUP");

/** A number alone on its line. */
export function oneNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^-?\d+\s*$/.test(text)) return undefined;
  return Number(text);
}

/** The value behind a key in a file of "key value" lines. */
export function valueOf(text: string | undefined, key: string): number | undefined {
  const line = text?.split("\n").find((one) => one.startsWith(`${key} `));
  return line === undefined ? undefined : oneNumber(line.slice(key.length + 1));
}

/** Seconds in which at least one task waited, from a file of PSI: "some avg10=… total=123456". */
export function someSeconds(text: string | undefined): number | undefined {
  const total = /^some .*\btotal=(\d+)/m.exec(text ?? "")?.[1];
  return total === undefined ? undefined : Number(total) / 1_000_000;
}
