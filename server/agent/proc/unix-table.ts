/** Connections on a listener's socket, out of the kernel's table of Unix sockets. */
export interface SocketConnections {
  readonly listening: boolean;
  /** Taken by the process, and those that wait to be. */
  readonly connections: number;
}

const LISTENING = "00010000";
/** Waiting to be taken, and taken. */
const CONNECTED = new Set(["02", "03"]);

/**
 * Counts for each path. The table has the path that the daemon bound, which in its container may begin otherwise, so the last two parts
 * decide. Columns: Num RefCount Protocol Flags Type St Inode Path.
 */
export function countConnections(table: string, paths: readonly string[]): ReadonlyMap<string, SocketConnections> {
  const tails = new Map(paths.map((path) => [tailOf(path), path]));
  const counts = new Map<string, { listening: boolean; connections: number }>(paths.map((path) => [path, { listening: false, connections: 0 }]));
  for (let start = 0; start < table.length; ) {
    const newline = table.indexOf("\n", start);
    const end = newline < 0 ? table.length : newline;
    const slash = table.indexOf("/", start);
    if (slash >= 0 && slash < end) {
      const path = tails.get(tailOf(table.slice(slash, end)));
      const count = path === undefined ? undefined : counts.get(path);
      if (count !== undefined) {
        const columns = table.slice(start, slash).trim().split(/\s+/);
        if (columns[3] === LISTENING) count.listening = true;
        else if (CONNECTED.has(columns[5] ?? "")) count.connections += 1;
      }
    }
    start = end + 1;
  }
  return counts;
}

/** "/multus/multus.sock". */
const tailOf = (path: string): string => path.slice(Math.max(0, path.lastIndexOf("/", path.lastIndexOf("/") - 1)));
