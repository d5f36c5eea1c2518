import type { LaterParts, SocketUse } from "../../domain/agent-readings";
import { MAX_SOCKETS } from "../../domain/agent-report";
import { KNOWN_SOCKETS, canonicalSocketPath } from "../../domain/known-sockets";
import { pathText } from "../bounds";
import type { UsableConfig } from "../conflist";
import { readProcFile } from "./proc-files";
import { countConnections } from "./unix-table";

const MAX_TABLE_BYTES = 16 * 1024 * 1024;
/** A caller that has ended and was not yet waited for holds no connection. */
const ZOMBIE = "Z";

/**
 * Connections on each daemon's socket, and the callers that live. `root`: the `/proc` in which the daemons' network namespace is seen;
 * `callers`: which plugins call which socket by the configs of the conf dir. A socket that nobody listens on and that has no
 * connection is left out: it may be another network namespace's.
 */
export async function lookAtSocketUse(root: string, sockets: readonly string[], callers: UsableConfig["callers"], processes: NonNullable<LaterParts["processes"]>): Promise<NonNullable<LaterParts["socketUse"]>> {
  if (!processes.looked) return processes;
  const table = (await readProcFile(`${root}/net/unix`, MAX_TABLE_BYTES)).toString("latin1");
  const counts = countConnections(table, sockets);
  const items = sockets.flatMap((path): SocketUse[] => {
    const { listening, connections } = counts.get(path) ?? { listening: false, connections: 0 };
    if (!listening && connections === 0) return [];
    const programs = new Set([...callers.filter(({ socket }) => socket === path).map(({ type }) => type), ...KNOWN_SOCKETS.filter((known) => canonicalSocketPath(known.path) === path).flatMap(({ pluginTypes }) => pluginTypes)]);
    return [{ path: pathText(path), connections, liveShims: processes.items.filter(({ program, state, called }) => programs.has(program) && state !== ZOMBIE && called !== false).length }];
  });
  return { looked: true, items: items.slice(0, MAX_SOCKETS) };
}
