import { createServer } from "node:net";
import type { Server } from "node:net";

/** Below the range of ephemeral ports, so that a server's port is still free after a restart. */
const LOWEST = 11_000;
const HIGHEST = 21_000;
/** Offset of the port on which a cluster node also listens. */
const BUS = 10_000;
/** Offset of the port that marks a port as claimed for other test processes, also while its server restarts. */
const SIGN = 22_000;

/** A port of 127.0.0.1 that is reserved for this process until it is released or the process ends. */
export interface ClaimedPort {
  readonly port: number;
  readonly release: () => void;
}

/** Claims a port that is free, as is the bus port that a cluster node needs. */
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

/** A server on this port, or `undefined` if the port is in use. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ port, host: "127.0.0.1" }, () => resolve(server));
  });
}
