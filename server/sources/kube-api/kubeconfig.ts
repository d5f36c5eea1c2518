import path from "node:path";
import { newClusters, newContexts, newUsers, type Cluster, type Context, type User } from "@kubernetes/client-node/dist/config_types.js";
import { load as loadYaml, YAMLException } from "js-yaml";
import { z } from "zod";
import { ConnectError } from "./errors";
import { cleanText } from "./text";

export const MAX_KUBECONFIG_BYTES = 4 * 1024 * 1024;
const MAX_LISTED_CONTEXTS = 20;
const MAX_REASON_CHARS = 200;

export type ReadFile = (file: string) => Promise<Buffer>;

/** Fields of a user that client-node's parser leaves out; dropping them would mean acting as somebody else. */
const moreOfUserSchema = z.object({
  tokenFile: z.string().min(1).optional(),
  "as-uid": z.string().optional(),
  "as-groups": z.array(z.string()).optional(),
  "as-user-extra": z.record(z.string(), z.array(z.string())).optional(),
});
type MoreOfUser = z.infer<typeof moreOfUserSchema>;
const documentSchema = z.object({
  "current-context": z.string().nullish(),
  clusters: z.array(z.object({ name: z.string(), cluster: z.object({ server: z.string() }) })).nullish(),
  users: z.array(z.object({ name: z.string(), user: moreOfUserSchema.nullish() })).nullish(),
});

/** One context with what it names, every path absolute. */
export interface ResolvedContext {
  readonly context: Context;
  readonly cluster: Cluster;
  readonly user: User & { readonly more: MoreOfUser };
  /** The files that were read, for messages. */
  readonly files: readonly string[];
}

interface Document {
  readonly file: string;
  readonly currentContext: string | undefined;
  readonly clusters: readonly Cluster[];
  readonly contexts: readonly Context[];
  readonly users: readonly (User & { readonly more: MoreOfUser })[];
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

/**
 * Reads kubeconfigs in order and merges them as kubectl does: what a file sets first stays. Files of a list that do not
 * exist or are empty are passed over; `undefined` where nothing is left.
 */
export async function loadKubeconfig(files: readonly string[], wanted: string | undefined, readFile: ReadFile): Promise<ResolvedContext | undefined> {
  const documents: Document[] = [];
  for (const file of files) {
    const text = await read(file, readFile);
    if (text !== undefined) documents.push(parse(file, text));
  }
  return documents.length === 0 ? undefined : resolve(documents, wanted);
}

async function read(file: string, readFile: ReadFile): Promise<string | undefined> {
  try {
    const bytes = await readFile(file);
    if (bytes.length > MAX_KUBECONFIG_BYTES) throw new ConnectError("kubeconfig-broken", `The kubeconfig ${file} has ${bytes.length} bytes, the limit is ${MAX_KUBECONFIG_BYTES}: give another file.`);
    const text = bytes.toString("utf8");
    return text.trim() === "" ? undefined : text; // as /dev/null: nothing is configured there
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof ConnectError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new ConnectError("kubeconfig-unreadable", `The kubeconfig ${file} cannot be read (${code}): check its path and permissions.`, { cause: error });
  }
}

function parse(file: string, text: string): Document {
  const broken = (reason: string, cause?: unknown) => new ConnectError("kubeconfig-broken", `The kubeconfig ${file} is not usable (${cleanText(reason, MAX_REASON_CHARS)}): correct it, or give another file with --kubeconfig.`, { cause });
  let raw: unknown;
  try {
    raw = loadYaml(text);
  } catch (error) {
    if (error instanceof YAMLException) throw broken(`${error.reason}${error.mark ? ` in line ${error.mark.line + 1}` : ""}`, error);
    throw broken(error instanceof Error ? error.message : String(error), error);
  }
  const parsed = documentSchema.safeParse(raw ?? {});
  if (!parsed.success) throw broken(`${parsed.error.issues[0]?.path.join(".") || "the document"}: ${parsed.error.issues[0]?.message ?? "wrong"}`);
  const { clusters, contexts, users } = sections(raw, broken);
  const more = new Map(parsed.data.users?.map((entry) => [entry.name, entry.user ?? {}]));
  const absolute = (found: string | null | undefined) => (found ? { path: path.resolve(path.dirname(file), found) } : undefined);
  return {
    file,
    currentContext: parsed.data["current-context"] || undefined,
    clusters: clusters.map((cluster) => ({ ...cluster, ...renamed("caFile", absolute(cluster.caFile)) })),
    contexts,
    users: users.map((user) => {
      const rest = more.get(user.name) ?? {};
      return {
        ...user,
        ...renamed("certFile", absolute(user.certFile)),
        ...renamed("keyFile", absolute(user.keyFile)),
        exec: relativeCommand(user.exec, file),
        more: { ...rest, ...renamed("tokenFile", absolute(rest.tokenFile)) },
      };
    }),
  };
}

const renamed = <K extends string>(key: K, found: { readonly path: string } | undefined): { readonly [P in K]?: string } => (found === undefined ? {} : ({ [key]: found.path } as { readonly [P in K]?: string })); // a computed key loses its name

function sections(raw: unknown, broken: (reason: string, cause?: unknown) => ConnectError): { clusters: Cluster[]; contexts: Context[]; users: User[] } {
  const document = typeof raw === "object" && raw !== null ? raw : {};
  const list = (name: string): unknown => (name in document ? (document as Record<string, unknown>)[name] : undefined); // `in` has just checked it
  try {
    return { clusters: newClusters(list("clusters")), contexts: newContexts(list("contexts")), users: newUsers(list("users")) };
  } catch (error) {
    throw broken(error instanceof Error ? error.message : String(error), error);
  }
}

/** As kubectl: a command with a slash in it is meant from the kubeconfig's folder, one without from the PATH. */
function relativeCommand(exec: unknown, file: string): unknown {
  if (typeof exec !== "object" || exec === null || !("command" in exec) || typeof exec.command !== "string") return exec ?? undefined;
  return exec.command.includes("/") ? { ...exec, command: path.resolve(path.dirname(file), exec.command) } : exec;
}

function resolve(documents: readonly Document[], wanted: string | undefined): ResolvedContext {
  const files = documents.map((document) => document.file);
  const where = files.join(", ");
  const first = <T extends { readonly name: string }>(items: readonly T[], name: string): T | undefined => items.find((item) => item.name === name);
  const contexts = documents.flatMap((document) => document.contexts);
  const name = wanted ?? documents.map((document) => document.currentContext).find((current) => current !== undefined);
  const known = [...new Set(contexts.map((context) => context.name))];
  const listed = known.length === 0 ? "it holds none" : `there are: ${known.slice(0, MAX_LISTED_CONTEXTS).join(", ")}${known.length > MAX_LISTED_CONTEXTS ? ` and ${known.length - MAX_LISTED_CONTEXTS} more` : ""}`;
  if (name === undefined) throw new ConnectError("context-unknown", `The kubeconfig ${where} has no current-context: choose one with --context (${listed}).`);
  const context = first(contexts, name);
  if (context === undefined) throw new ConnectError("context-unknown", `The kubeconfig ${where} has no context "${name}" (${listed}): choose one with --context.`);
  const cluster = first(documents.flatMap((document) => document.clusters), context.cluster);
  if (cluster === undefined) throw new ConnectError("kubeconfig-broken", `The context "${name}" of ${where} names the cluster "${context.cluster}", which is not there: correct the kubeconfig.`);
  const user = first(documents.flatMap((document) => document.users), context.user);
  if (user === undefined && context.user !== undefined) throw new ConnectError("kubeconfig-broken", `The context "${name}" of ${where} names the user "${context.user}", which is not there: correct the kubeconfig.`);
  return { context, cluster, user: user ?? { name: "", more: {} }, files };
}
