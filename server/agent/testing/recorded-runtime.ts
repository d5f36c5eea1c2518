import { readFile } from "node:fs/promises";
import path from "node:path";
import { Server, ServerCredentials, type ServiceDefinition, type handleUnaryCall } from "@grpc/grpc-js";

const CALLS = { Version: "version", Status: "status-verbose", ListPodSandbox: "list-pod-sandbox", ListContainers: "list-containers" } as const;
const bytes = (buffer: Buffer): Buffer => buffer;

/** A gRPC server on a Unix socket that gives back the very bytes that containerd 1.6.20 gave (see fixtures/MANIFEST.md). It can only be asked. */
export async function recordedRuntime(socket: string): Promise<{ close(): void }> {
  const server = new Server();
  const service = Object.fromEntries(Object.keys(CALLS).map((name) => [name, { path: `/runtime.v1.RuntimeService/${name}`, requestStream: false, responseStream: false, requestSerialize: bytes, requestDeserialize: bytes, responseSerialize: bytes, responseDeserialize: bytes }])) as ServiceDefinition;
  const handlers: Record<string, handleUnaryCall<Buffer, Buffer>> = {};
  for (const [name, file] of Object.entries(CALLS)) {
    const answer = await readFile(path.join(import.meta.dirname, `../fixtures/cri/containerd-1.6.20-${file}.bin`));
    handlers[name] = (_request, answered) => {
      answered(null, answer);
    };
  }
  server.addService(service, handlers);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
  return { close: () => server.forceShutdown() };
}
