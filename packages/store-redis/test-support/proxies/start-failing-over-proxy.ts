import { startProxy } from "./start-proxy.ts";
import type { Proxy } from "./start-proxy.ts";

/** An address that stays when the server behind it does not. */
export interface FailingOverProxy extends Proxy {
  /** Drops what the server says from now on, as a line that is too slow does. */
  readonly hold: () => void;
  /** Cuts all connections; new ones lead to another server. */
  readonly leadTo: (port: number) => void;
}

/** Starts a proxy that can be led to another server. */
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
