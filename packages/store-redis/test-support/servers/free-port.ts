import { createServer } from "node:net";

/** Below what systems give to outgoing connections, so that a server finds its port again after a restart. */
const LOWEST = 11_000;
const HIGHEST = 22_000;
/** A cluster node also listens this much higher. */
const BUS = 10_000;

/** Finds a port of 127.0.0.1 that nobody listens on, nor on the bus port that a cluster node needs. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if ((await isFree(port)) && (await isFree(port + BUS))) return port;
  }
  throw new Error(`No free port between ${LOWEST} and ${HIGHEST}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1" }, () => server.close(() => resolve(true)));
  });
}
