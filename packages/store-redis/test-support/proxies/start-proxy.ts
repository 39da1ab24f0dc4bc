import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";

/** The two ends of one connection. */
export interface ProxiedConnection {
  readonly client: Socket;
  readonly server: Socket;
}

/** A proxy between clients and a server on 127.0.0.1. */
export interface Proxy {
  readonly url: string;
  readonly port: number;
  readonly connections: ReadonlySet<ProxiedConnection>;
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Listens on a free port. Connects to the current target for every client connection, and passes both to `carry`. */
export async function startProxy(
  target: number | (() => number),
  carry: (connection: ProxiedConnection) => void,
): Promise<Proxy> {
  const connections = new Set<ProxiedConnection>();
  const listener = createServer({ noDelay: true }, (client) => {
    const port = typeof target === "number" ? target : target();
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    const connection = { client, server };
    connections.add(connection);
    for (const socket of [client, server]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        connections.delete(connection);
        client.destroy();
        server.destroy();
      });
    }
    carry(connection);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("Expected a port");
  const stop = async (): Promise<void> => {
    for (const { client } of connections) client.destroy();
    listener.close();
    await once(listener, "close");
  };
  const { port } = address;
  return { url: `redis://127.0.0.1:${port}`, port, connections, stop, [Symbol.asyncDispose]: stop };
}
