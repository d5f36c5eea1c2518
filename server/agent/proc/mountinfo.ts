/** One line of `/proc/PID/mountinfo`, as far as it is used. */
export interface Mount {
  /** "0:25": of the file system. */
  readonly device: string;
  /** Which folder or file of that file system is mounted. */
  readonly root: string;
  /** The kernel says that no path of its file system leads to it any more. */
  readonly deleted: boolean;
  readonly mountPoint: string;
}

const DELETED = "//deleted";
/** Blank, tab, line break and backslash are written as octal numbers. */
const ESCAPED = /\\([0-7]{3})/g;
const unescape = (text: string): string => (text.includes("\\") ? text.replace(ESCAPED, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))) : text);

/** The mounts that can be seen: of several at one place the last one lies on top. Lines that are none are passed over. */
export function parseMountinfo(text: string): readonly Mount[] {
  const mounts = new Map<string, Mount>();
  for (const line of text.split("\n")) {
    const [, , device, root, mountPoint] = line.split(" ", 5);
    if (device === undefined || root === undefined || mountPoint === undefined || !mountPoint.startsWith("/")) continue;
    const deleted = root.endsWith(DELETED);
    const place = unescape(mountPoint);
    mounts.delete(place); // set again, so that the order is that of the last
    mounts.set(place, { device, root: unescape(deleted ? root.slice(0, -DELETED.length) : root), deleted, mountPoint: place });
  }
  return [...mounts.values()];
}

/** Where a path lies: the file system, and the path inside it. Undefined where no mount holds it. */
export function locate(mounts: readonly Mount[], path: string): { readonly device: string; readonly inside: string; readonly mount: Mount } | undefined {
  let best: Mount | undefined;
  for (const mount of mounts) if (holds(mount.mountPoint, path) && (best === undefined || mount.mountPoint.length >= best.mountPoint.length)) best = mount;
  if (best === undefined) return undefined;
  const rest = path === best.mountPoint ? "" : path.slice(best.mountPoint === "/" ? 0 : best.mountPoint.length);
  return { device: best.device, inside: join(best.root, rest), mount: best };
}

const join = (root: string, rest: string): string => (root === "/" ? (rest === "" ? "/" : rest) : root + rest);

/** Whether a path is the folder or lies below it. */
export const holds = (folder: string, path: string): boolean => path === folder || (folder === "/" ? path.startsWith("/") : path.startsWith(`${folder}/`));
