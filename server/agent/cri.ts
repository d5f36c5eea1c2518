import { Client, Metadata, credentials, status, type ClientUnaryCall, type MethodDefinition, type ServiceDefinition } from "@grpc/grpc-js";
import { fromJSON } from "@grpc/proto-loader";
import { z } from "zod";
import { monotonicMs, systemClock } from "../clock";
import { CRI_V1 } from "./cri-descriptor";
import { CriError } from "./cri-error";

/** The calls of CRI v1 that the agent makes, over a Unix socket. */
export interface CriConnection {
  version(): Promise<CriVersion>;
  status(verbose: boolean): Promise<CriStatus>;
  /** All, or the one of this id. */
  listSandboxes(id?: string): Promise<{ readonly items: readonly CriSandbox[]; readonly tookSeconds: number }>;
  /** Those that run. */
  listContainers(): Promise<readonly CriContainer[]>;
  /** Of an order to the agent alone: see actions/. Both may take as long as the network plugin does. */
  stopSandbox(id: string, deadlineMs: number): Promise<void>;
  removeSandbox(id: string, deadlineMs: number): Promise<void>;
  close(): void;
}

/** As the kubelet allows; 20,000 sandboxes with long annotations still fit. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const RECONNECT_BACKOFF_MS = 1_000;

const Version = z.object({ runtime_name: z.string(), runtime_version: z.string() });
const Condition = z.object({ type: z.string(), status: z.boolean(), reason: z.string(), message: z.string() });
const Status = z.object({ status: z.object({ conditions: z.array(Condition) }).nullable(), info: z.record(z.string(), z.string()) });
const Sandbox = z.object({
  id: z.string(),
  metadata: z.object({ name: z.string(), uid: z.string(), namespace: z.string(), attempt: z.number() }).nullable(),
  state: z.number(),
  /** Nanoseconds; as a number exact to a quarter of a microsecond. */
  created_at: z.number(),
});
const Sandboxes = z.object({ items: z.array(Sandbox) });
const Container = z.object({ id: z.string(), pod_sandbox_id: z.string(), metadata: z.object({ name: z.string() }).nullable(), created_at: z.number() });
const Containers = z.object({ containers: z.array(Container) });
const Nothing = z.object({});
const RUNNING = { filter: { state: { state: 1 } } };

export type CriVersion = z.output<typeof Version>;
export type CriStatus = z.output<typeof Status>;
export type CriSandbox = z.output<typeof Sandbox>;
export type CriContainer = z.output<typeof Container>;

/**
 * Does not wait for the socket: each call connects as needed and fails by itself. `socketPath` is the path on this side,
 * `shownPath` the node's own, which errors name.
 */
export function openCri(socketPath: string, shownPath: string, deadlineMs: number): CriConnection {
  const definition = fromJSON(CRI_V1, { keepCase: true, longs: Number, enums: Number, defaults: true, arrays: true, objects: true });
  const service = definition["runtime.v1.RuntimeService"] as ServiceDefinition; // named so in CRI_V1
  const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": MAX_RESPONSE_BYTES,
    "grpc.enable_retries": 0,
    "grpc.initial_reconnect_backoff_ms": RECONNECT_BACKOFF_MS,
    "grpc.max_reconnect_backoff_ms": RECONNECT_BACKOFF_MS,
    "grpc.use_local_subchannel_pool": 1,
  });

  const underWay = new Set<ClientUnaryCall>();
  const call = async <T>(name: string, request: object, schema: z.ZodType<T>, withinMs: number = deadlineMs): Promise<T> => {
    const method = service[name] as MethodDefinition<object, object>; // every name below is in CRI_V1
    const answer = await new Promise<object | undefined>((resolve, reject) => {
      const call = client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        new Metadata({ waitForReady: true }),
        { deadline: new Date(systemClock.now() + withinMs) },
        (error, value) => {
          underWay.delete(call);
          if (error === null) resolve(value);
          else reject(new CriError(explain(name, shownPath, withinMs, error), kindOf(error.code)));
        },
      );
      underWay.add(call);
    });
    const parsed = schema.safeParse(answer);
    if (!parsed.success) throw new CriError(`${shownPath}: ${name} answered in a shape that is not CRI v1`, "unsupported");
    return parsed.data;
  };

  return {
    version: () => call("Version", {}, Version),
    status: (verbose) => call("Status", { verbose }, Status),
    listSandboxes: async (id) => {
      const startedMs = monotonicMs();
      const { items } = await call("ListPodSandbox", id === undefined ? {} : { filter: { id } }, Sandboxes);
      return { items, tookSeconds: (monotonicMs() - startedMs) / 1000 };
    },
    stopSandbox: async (id, withinMs) => void (await call("StopPodSandbox", { pod_sandbox_id: id }, Nothing, withinMs)),
    removeSandbox: async (id, withinMs) => void (await call("RemovePodSandbox", { pod_sandbox_id: id }, Nothing, withinMs)),
    listContainers: async () => (await call("ListContainers", RUNNING, Containers)).containers,
    close: () => {
      for (const one of underWay) one.cancel(); // a hung runtime would keep them until their deadline
      client.close();
    },
  };
}

function kindOf(code: number): CriError["kind"] {
  if (code === status.DEADLINE_EXCEEDED) return "silent";
  if (code === status.UNIMPLEMENTED) return "unsupported";
  if (code === status.RESOURCE_EXHAUSTED) return "too-large";
  if (code === status.PERMISSION_DENIED || code === status.UNAUTHENTICATED) return "denied";
  return "failed";
}

function explain(name: string, path: string, deadlineMs: number, error: { readonly code: number; readonly details: string }): string {
  if (error.code === status.DEADLINE_EXCEEDED) return `${path}: no answer to ${name} in ${String(deadlineMs / 1000)} s`;
  if (error.code === status.UNIMPLEMENTED) return `${path}: no CRI v1 there (${error.details}); it needs containerd 1.6 or later with its CRI plugin on, or CRI-O`;
  return `${path}: ${name} failed: ${error.details}`;
}
