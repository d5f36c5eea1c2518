import { z } from "zod";
import { canonicalSocketPath, KNOWN_SOCKETS } from "../../../domain/known-sockets";
import type { SocketMount } from "../../../domain/model";
import type { ContainerStatus } from "./containers";

/** A pod that mounts more of them than this is none that anybody made. */
const MAX_SOCKET_MOUNTS = 8;

const withoutSlash = (path: string): string => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
/** The sockets of CNI daemons and the folders that hold them, in the form in which paths are compared. */
const PATHS: ReadonlySet<string> = new Set(KNOWN_SOCKETS.flatMap(({ path }) => [canonicalSocketPath(path), canonicalSocketPath(folderOf(path))]));

const Volume = z.object({ name: z.string(), hostPath: z.object({ path: z.string() }) });
const Container = z.object({ name: z.string(), volumeMounts: z.array(z.object({ name: z.string() })) });

/** The host's path of a volume that is a known socket or its folder. */
function socketPathOf(volume: unknown): { readonly volume: string; readonly path: string } | undefined {
  const parsed = Volume.safeParse(volume);
  if (!parsed.success) return undefined;
  const path = canonicalSocketPath(withoutSlash(parsed.data.hostPath.path));
  return PATHS.has(path) ? { volume: parsed.data.name, path } : undefined;
}

/** Whether a volume is worth a second look; called for every volume of every pod. */
export const isSocketVolume = (volume: unknown): boolean => typeof volume === "object" && volume !== null && "hostPath" in volume && socketPathOf(volume) !== undefined;

/** Mounts of the CNI daemons' sockets in containers that run, with since when each container does; `undefined` where there is none. */
export function socketMountsOf(volumes: readonly unknown[], containers: readonly unknown[], statuses: readonly ContainerStatus[]): readonly SocketMount[] | undefined {
  const sockets = volumes.flatMap((volume) => socketPathOf(volume) ?? []);
  if (sockets.length === 0) return undefined;
  const mounts = containers.flatMap((raw): readonly SocketMount[] => {
    const container = Container.safeParse(raw);
    if (!container.success) return [];
    const sinceMs = statuses.find(({ name }) => name === container.data.name)?.state?.running?.startedAt;
    if (sinceMs === undefined) return [];
    return sockets.filter(({ volume }) => container.data.volumeMounts.some(({ name }) => name === volume)).map(({ path }) => ({ container: container.data.name, path, sinceMs }));
  });
  return mounts.length === 0 ? undefined : mounts.slice(0, MAX_SOCKET_MOUNTS);
}
