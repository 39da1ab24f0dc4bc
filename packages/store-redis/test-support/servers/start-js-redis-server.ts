import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";

import { createRedisMock } from "js-redis-server";

/** A server written in JavaScript that runs in this process, so that no machine tests without any. */
export interface JsRedisServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Where Node tells of each connection that a server of this process took. */
const CONNECTIONS = "net.server.socket";

/** Starts js-redis-server in this process. It keeps nothing and lacks what only a real server has. */
export async function startJsRedisServer(): Promise<JsRedisServer> {
  const server = await createRedisMock({ compatibility: "redis-7.0" });
  subscribe(CONNECTIONS, answerAtOnce);
  const stop = async (): Promise<void> => {
    unsubscribe(CONNECTIONS, answerAtOnce);
    await server.close();
  };
  return { url: server.url, stop, [Symbol.asyncDispose]: stop };
}

/** Else the second of two answers waits 40 ms for the system to acknowledge the first. */
function answerAtOnce(message: unknown): void {
  const isConnection = typeof message === "object" && message !== null && "socket" in message;
  if (isConnection && message.socket instanceof Socket) message.socket.setNoDelay(true);
}
