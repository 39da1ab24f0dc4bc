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

/** Sends commands through any kind of client. Always to a primary, because replicas lag. */
export interface RedisLink {
  /** Sends one command to the server that stores `key`. */
  readonly send: (
    key: string,
    command: Command,
    signal: AbortSignal | undefined,
  ) => Promise<unknown>;
  /** Sends commands in order over one connection, pipelined. */
  readonly sendTogether: (
    key: string,
    commands: readonly Command[],
    signal: AbortSignal | undefined,
  ) => Promise<readonly PromiseSettledResult<unknown>[]>;
  /** Sends one command to each known primary. */
  readonly sendToEach: (
    command: Command,
    signal: AbortSignal | undefined,
  ) => Promise<readonly unknown[]>;
}

/** Returns maps as flat arrays, so that RESP2 and RESP3 replies are the same and no field name is lost (`__proto__`); texts are strings. */
const TYPE_MAPPING = { 37: Array };

/**
 * Makes the link to a client, pool, sentinel or cluster of `redis` 5 or 6.
 *
 * @throws `HistoryError` with code `MISSING_PACKAGE` for a client of `redis` 4.
 */
export function redisLink(client: RedisClient): RedisLink {
  // Only redis 4 has this property. It cannot drop a command that it has not yet sent.
  if ("commandsExecutor" in client) {
    throw new HistoryError(
      "Expected a client of the package `redis` in version 5 or newer; got one of version 4. Run `npm install redis@latest`.",
      { code: "MISSING_PACKAGE", details: { package: "redis", needs: ">=5" } },
    );
  }
  const send = senderOf(client);
  return {
    send,
    sendTogether: (key, commands, signal) =>
      onOneConnection(client, (sendBy) =>
        Promise.allSettled(commands.map((command) => sendBy(key, command, signal))),
      ),
    sendToEach: async (command, signal) => {
      if (!isCluster(client)) return [await send("", command, signal)];
      const primaries = client.masters.map(async (primary) => client.nodeClient(primary));
      const nodes = await Promise.all(primaries);
      return Promise.all(nodes.map((node) => senderOf(node)("", command, signal)));
    },
  };
}

function senderOf(client: RedisClient): RedisLink["send"] {
  if (isCluster(client))
    return (key, command, signal) =>
      client.sendCommand(key, false, [...command], optionsOf(signal));
  if (isSentinel(client) && lends(client))
    // Without `use`, a sentinel client loses connections of its pool if two commands begin at once (redis 6.3.1).
    return (...command) => client.use((lent) => lentSender(lent)(...command));
  if (isSentinel(client)) return lentSender(client);
  return (_key, command, signal) => client.sendCommand([...command], optionsOf(signal));
}

/** A sentinel client, or a connection leased from it. */
type Lent = Pick<RedisSentinelClient, "sendCommand">;

function lentSender(client: Lent): RedisLink["send"] {
  return (_key, command, signal) => client.sendCommand(false, [...command], optionsOf(signal));
}

/** Runs commands on one connection. Pools and sentinel clients use any of their connections unless one is leased; a cluster client has one for each slot's primary. */
function onOneConnection<T>(
  client: RedisClient,
  run: (send: RedisLink["send"]) => Promise<T>,
): Promise<T> {
  if (isPool(client)) return client.execute((node) => run(senderOf(node)));
  if (isSentinel(client) && lends(client)) return client.use((lent) => run(lentSender(lent)));
  return run(senderOf(client));
}

function optionsOf(abortSignal: AbortSignal | undefined): RedisCommandOptions {
  return { typeMapping: TYPE_MAPPING, ...(abortSignal !== undefined && { abortSignal }) };
}

function isPool(client: RedisClient): client is RedisClient & {
  execute: <T>(run: (node: RedisNodeClient) => Promise<T>) => Promise<T>;
} {
  return "execute" in client && typeof client.execute === "function";
}

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
