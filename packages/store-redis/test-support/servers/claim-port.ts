import { createServer } from "node:net";
import type { Server } from "node:net";

/** Below what systems give to outgoing connections, so that a server finds its port again after a restart. */
const LOWEST = 11_000;
const HIGHEST = 21_000;
/** A cluster node also listens this much higher. */
const BUS = 10_000;
/** So much higher stands the sign by which other processes of these tests see that a port is taken, also while its server restarts. */
const SIGN = 22_000;

/** A port of 127.0.0.1 that is this process's own until it is released, or until the process ends. */
export interface ClaimedPort {
  readonly port: number;
  readonly release: () => void;
}

/** Claims a port that nobody listens on, nor on the bus port that a cluster node needs. */
export async function claimPort(): Promise<ClaimedPort> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const sign = await listen(port + SIGN);
    if (sign === undefined) continue;
    if ((await isFree(port)) && (await isFree(port + BUS))) {
      sign.unref();
      return { port, release: () => void sign.close() };
    }
    sign.close();
  }
  throw new Error(`No free port between ${LOWEST} and ${HIGHEST}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server === undefined) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** A server on this port, or `undefined` where another listens there. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ port, host: "127.0.0.1" }, () => resolve(server));
  });
}
