import { z } from "zod";
import {
  MAX_BIN_DIRS,
  MAX_CONDITIONS,
  MAX_PATH_CHARS,
  MAX_PLUGIN_TYPES,
  MAX_PROBLEMS,
  MAX_SANDBOXES,
  MAX_SOCKETS,
  compatibility,
  type AgentReport,
} from "@/server/domain/agent-report";
import { SOCKET_STATES } from "@/server/domain/signals";
import { LATER_PARTS } from "./schema-later";
import { MAX_ID_CHARS, MAX_NAME_CHARS, count, id, looked, name, path, pluginType, text, timeMs } from "./schema-parts";

/**
 * A report as it arrives, into the plain types of the domain. Fields that this version does not know are left out; fields
 * that it knows have a bound each. Reasons of refusal name the field and never repeat its value.
 */
export type ParsedReport = { readonly ok: true; readonly report: AgentReport } | { readonly ok: false; readonly reason: "malformed" | "version"; readonly detail: string };

const MAX_VERSION_CHARS = 64;
const MAX_ATTEMPT = 2 ** 32 - 1;
const MAX_LATENCY_SECONDS = 3_600;
const MAX_ISSUES_TOLD = 3;
/** A later agent may know more of them than this server. */
const MAX_ACTIONS = 16;

const seconds = z.number().min(0).max(MAX_LATENCY_SECONDS);

const Sandbox = z.object({
  id: z.string().min(1).max(MAX_ID_CHARS),
  namespace: name,
  name,
  uid: id,
  attempt: z.number().int().min(0).max(MAX_ATTEMPT),
  ready: z.boolean(),
  createdMs: timeMs.exactOptional(),
});
const Socket = z.object({ name: z.string().min(1).max(MAX_NAME_CHARS), path, state: z.enum(SOCKET_STATES), latencySeconds: seconds.exactOptional(), detail: text.exactOptional(), inode: id.exactOptional(), kind: z.enum(["socket", "file", "directory", "other"]).exactOptional(), owner: id.exactOptional() });
const Unseen = z.object({ name: z.string().min(1).max(MAX_NAME_CHARS), path, reason: text });
const Condition = z.object({ type: name, status: z.boolean(), reason: text, message: text });
const Config = z.object({
  dir: path,
  effectiveFile: z.string().min(1).max(MAX_PATH_CHARS).exactOptional(),
  pluginTypes: z.array(pluginType).max(MAX_PLUGIN_TYPES),
  delegateTypes: z.array(pluginType).max(MAX_PLUGIN_TYPES).exactOptional(),
  sockets: z.array(path).max(MAX_SOCKETS),
  missingBinaries: z.array(pluginType).max(MAX_PLUGIN_TYPES),
  binaryProblems: z.array(text).max(2 * MAX_PLUGIN_TYPES).exactOptional(),
  binDirs: z.array(path).max(MAX_BIN_DIRS),
  fileProblems: z.array(text).max(MAX_PROBLEMS).exactOptional(),
});

const Lost = z.object({ thinned: count, tooOld: count, fromMs: timeMs.exactOptional(), toMs: timeMs.exactOptional() });

const Versioned = z.object({ version: z.number().int().min(1).max(MAX_ATTEMPT) });
const Report = z.object({
  version: z.number().int(),
  node: z.string().min(1).max(MAX_NAME_CHARS),
  startId: z.string().min(1).max(MAX_ID_CHARS),
  sequence: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  atMs: timeMs,
  agentVersion: z.string().max(MAX_VERSION_CHARS),
  actions: z.array(name).max(MAX_ACTIONS).exactOptional(),
  lostReports: Lost.exactOptional(),
  runtime: looked({ reading: z.object({ name, version: name, conditions: z.array(Condition).max(MAX_CONDITIONS) }) }),
  sandboxes: looked({ items: z.array(Sandbox).max(MAX_SANDBOXES), tookSeconds: seconds, truncated: z.boolean() }),
  sockets: looked({ items: z.array(Socket).max(MAX_SOCKETS), unseen: z.array(Unseen).max(MAX_SOCKETS).exactOptional() }),
  config: looked({ reading: Config }),
  ...LATER_PARTS,
});

/** Never throws, whatever the value. */
export function parseReport(value: unknown): ParsedReport {
  const versioned = Versioned.safeParse(value);
  if (!versioned.success) return { ok: false, reason: "malformed", detail: problems(versioned.error) };
  const verdict = compatibility(versioned.data.version);
  if (!verdict.ok) return { ok: false, reason: "version", detail: `report version ${String(versioned.data.version)} is not understood: upgrade the ${verdict.upgrade}` };
  const parsed = Report.safeParse(value);
  if (!parsed.success) return { ok: false, reason: "malformed", detail: problems(parsed.error) };
  return { ok: true, report: parsed.data };
}

const problems = (error: z.ZodError): string =>
  error.issues
    .slice(0, MAX_ISSUES_TOLD)
    .map((issue) => `${issue.path.map(String).join(".") || "report"}: ${issue.message}`)
    .join("; ");
