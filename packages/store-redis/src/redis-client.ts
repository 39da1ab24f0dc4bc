/**
 * The methods that the store uses of a client of the package `redis` (5 or 6): of a client or a pool (`sendCommand(args)`), of a sentinel client, or
 * of a cluster client, which routes by the first key. The caller connects and closes the client.
 */
export type RedisClient = RedisNodeClient | RedisSentinelClient | RedisClusterClient;

/** Options of a command: the types of replies, and the signal that drops a command that is not yet sent. */
export interface RedisCommandOptions {
  readonly typeMapping?: object | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A client from `createClient` or `createClientPool`. */
export interface RedisNodeClient {
  sendCommand(args: string[], options?: RedisCommandOptions): Promise<unknown>;
}

/** A client from `createSentinel`. */
export interface RedisSentinelClient {
  sendCommand(
    isReadonly: boolean | undefined,
    args: string[],
    options?: RedisCommandOptions,
  ): Promise<unknown>;
  getMasterNode(): unknown;
}

/** A client from `createCluster`. */
export interface RedisClusterClient {
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
    options?: RedisCommandOptions,
  ): Promise<unknown>;
  readonly masters: readonly object[];
  nodeClient(node: object): RedisNodeClient | Promise<RedisNodeClient>;
}
