import { startProxy } from "./start-proxy.ts";
import type { Proxy } from "./start-proxy.ts";

/** A proxy with a constant address whose target server can change. */
export interface FailingOverProxy extends Proxy {
  /** Drops the server's data from now on, to simulate a slow connection. */
  readonly hold: () => void;
  /** Cuts all connections; new ones go to another server. */
  readonly leadTo: (port: number) => void;
}

/** Starts a proxy whose target can be changed. */
export async function startFailingOverProxy(target: number): Promise<FailingOverProxy> {
  let port = target;
  let isHeld = false;
  const proxy = await startProxy(
    () => port,
    ({ client, server }) => {
      client.on("data", (request) => void server.write(request));
      server.on("data", (answer) => void (isHeld || client.write(answer)));
    },
  );
  return {
    ...proxy,
    hold: () => {
      isHeld = true;
    },
    leadTo: (next) => {
      port = next;
      for (const { client } of proxy.connections) client.destroy();
    },
  };
}
