import { parentPort, workerData } from "node:worker_threads";
import { returningAgents, type ReturningOptions } from "./returning-agents";

/** The fleet in a thread of its own: what plays the API server beside it has to answer while 5,000 agents shake hands. */
const { most, ...options } = workerData as ReturningOptions & { readonly most: number }; // as agents.ts hands it over
const agents = await returningAgents(options);
parentPort?.once("message", () => {
  agents.comeBack(most).then(
    (back) => parentPort?.postMessage(back),
    (error: unknown) => {
      throw error;
    },
  );
});
parentPort?.postMessage("ready");
