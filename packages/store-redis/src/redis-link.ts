import { HistoryError } from "@agent-history/core";

import type {
  RedisClient,
  RedisClusterClient,
  RedisCommandOptions,
  RedisNodeClient,
  RedisSentinelClient,
} from "./redis-client.ts";

/** One command with its arguments. */
export type Command = readonly string[];

/** Sends commands, whatever kind of client was passed in. Always to a primary: replicas lag. */
export interface RedisLink {
  /** Sends one command to the server that has `key`. */
  readonly send: (
    key: string,
    command: Command,
    signal: AbortSignal | undefined,
  ) => Promise<unknown>;
  /** Sends commands in order over one connection, in one go. */
  readonly sendTogether: (
    key: string,
    commands: readonly Command[],
    signal: AbortSignal | undefined,
  ) => Promise<readonly PromiseSettledResult<unknown>[]>;
  /** Sends one command to each primary that is known. */
  readonly sendToEach: (
    command: Command,
    signal: AbortSignal | undefined,
  ) => Promise<readonly unknown[]>;
}

/** Maps as flat arrays, so that RESP2 and RESP3 answer alike and no field name is lost (`__proto__`); texts as strings. */
const TYPE_MAPPING = { 37: Array };

/**
 * Makes the link to a client, pool, sentinel or cluster of `redis` 5 or 6.
 *
 * @throws `HistoryError` with code `MISSING_PACKAGE` for a client of `redis` 4.
 */
export function redisLink(client: RedisClient): RedisLink {
  // Only redis 4 has it, which cannot give up a command that it has not sent yet.
  if ("commandsExecutor" in client) {
    throw new HistoryError(
      "Expected a client of the package `redis` in version 5 or newer; got one of version 4. Run `npm install redis@latest`.",
      { code: "MISSING_PACKAGE", details: { package: "redis", needs: ">=5" } },
    );
  }
  if (isCluster(client)) return clusterLink(client);
  if (isSentinel(client)) return sentinelLink(client);
  return nodeLink(client);
}

function clusterLink(client: RedisClusterClient): RedisLink {
  const send: RedisLink["send"] = (key, command, signal) =>
    client.sendCommand(key, false, [...command], optionsOf(signal));
  return {
    send,
    // A slot's primary has one connection.
    sendTogether: (key, commands, signal) =>
      Promise.allSettled(commands.map((command) => send(key, command, signal))),
    sendToEach: async (command, signal) => {
      const nodes = await Promise.all(primariesOf(client));
      return Promise.all(nodes.map((node) => node.sendCommand([...command], optionsOf(signal))));
    },
  };
}

/** A sentinel client, or the connection that it lends. */
type Lent = Pick<RedisSentinelClient, "sendCommand">;

function sentinelLink(client: RedisSentinelClient): RedisLink {
  const sendBy = (
    lent: Lent,
    command: Command,
    signal: AbortSignal | undefined,
  ): Promise<unknown> => lent.sendCommand(false, [...command], optionsOf(signal));
  return {
    send: (_key, command, signal) => sendBy(client, command, signal),
    sendTogether: (_key, commands, signal) => {
      const sendAllBy = (lent: Lent): Promise<readonly PromiseSettledResult<unknown>[]> =>
        Promise.allSettled(commands.map((command) => sendBy(lent, command, signal)));
      return lends(client) ? client.use(sendAllBy) : sendAllBy(client);
    },
    sendToEach: async (command, signal) => [await sendBy(client, command, signal)],
  };
}

function nodeLink(client: RedisNodeClient): RedisLink {
  return {
    send: (_key, command, signal) => client.sendCommand([...command], optionsOf(signal)),
    sendTogether: (_key, commands, signal) =>
      onOneConnection(client, (node) => sendAll(node, commands, signal)) ??
      sendAll(client, commands, signal),
    sendToEach: async (command, signal) => [
      await client.sendCommand([...command], optionsOf(signal)),
    ],
  };
}

function sendAll(
  node: RedisNodeClient,
  commands: readonly Command[],
  signal: AbortSignal | undefined,
): Promise<readonly PromiseSettledResult<unknown>[]> {
  return Promise.allSettled(
    commands.map((command) => node.sendCommand([...command], optionsOf(signal))),
  );
}

function optionsOf(abortSignal: AbortSignal | undefined): RedisCommandOptions {
  return { typeMapping: TYPE_MAPPING, ...(abortSignal !== undefined && { abortSignal }) };
}

type OnNode<T> = (node: RedisNodeClient) => Promise<T>;

/** Runs on one connection of a pool; undefined where the client is one connection. */
function onOneConnection<T>(client: RedisClient, run: OnNode<T>): Promise<T> | undefined {
  return isPool(client) ? client.execute(run) : undefined;
}

function isPool(
  client: RedisClient,
): client is RedisClient & { execute: <T>(run: OnNode<T>) => Promise<T> } {
  return "execute" in client && typeof client.execute === "function";
}

/** A sentinel client sends by any of its connections, unless it lends one. */
function lends(
  client: RedisSentinelClient,
): client is RedisSentinelClient & { use: <T>(run: (lent: Lent) => Promise<T>) => Promise<T> } {
  return "use" in client && typeof client.use === "function";
}

function isCluster(client: RedisClient): client is RedisClusterClient {
  return "nodeClient" in client;
}

function isSentinel(client: RedisClient): client is RedisSentinelClient {
  return "getMasterNode" in client;
}

/** The primaries' own clients. */
function primariesOf(client: RedisClusterClient): readonly Promise<RedisNodeClient>[] {
  return client.masters.map(async (primary) => client.nodeClient(primary));
}
