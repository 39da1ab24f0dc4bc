import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";

import { createRedisMock } from "js-redis-server";

/** A server written in JavaScript that runs in this process, so that tests run on machines without Redis. */
export interface JsRedisServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Node's diagnostics channel for accepted connections. */
const CONNECTIONS = "net.server.socket";

/** Starts js-redis-server in this process. It stores nothing durably and lacks some features of a real server. */
export async function startJsRedisServer(): Promise<JsRedisServer> {
  const server = await createRedisMock({ compatibility: "redis-7.0" });
  subscribe(CONNECTIONS, answerAtOnce);
  const stop = async (): Promise<void> => {
    unsubscribe(CONNECTIONS, answerAtOnce);
    await server.close();
  };
  return { url: server.url, stop, [Symbol.asyncDispose]: stop };
}

/** Disables Nagle's algorithm: otherwise the second of two answers waits 40 ms for the acknowledgment of the first. */
function answerAtOnce(message: unknown): void {
  const isConnection = typeof message === "object" && message !== null && "socket" in message;
  if (isConnection && message.socket instanceof Socket) message.socket.setNoDelay(true);
}
