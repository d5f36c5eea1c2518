import { once } from "node:events";
import { createServer } from "node:net";

/** Below the range from which systems take the ports of outgoing connections: a port from there may be taken before it is used. */
const LOW_PORT = 20_000;
const HIGH_PORT = 32_000;
const MAX_TRIES = 50;

/** A loopback port that is free now and that no outgoing connection will take by chance. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = LOW_PORT + Math.floor(Math.random() * (HIGH_PORT - LOW_PORT));
    const server = createServer();
    try {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    } catch (error) {
      if (tries === MAX_TRIES) throw new Error(`No free port was found between ${LOW_PORT} and ${HIGH_PORT} in ${MAX_TRIES} tries.`, { cause: error });
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
