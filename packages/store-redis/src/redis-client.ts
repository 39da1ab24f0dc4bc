/**
 * What the store needs of a client of the package `redis` (5 or 6): a client or a pool (`sendCommand(args)`), a sentinel client or
 * a cluster client, which gets the first key. The caller connects and closes the client.
 */
export type RedisClient = RedisNodeClient | RedisSentinelClient | RedisClusterClient;

/** How replies are wanted, and when a command that was not sent yet is given up. */
export interface RedisCommandOptions {
  readonly typeMapping?: object | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** What `createClient` and `createClientPool` give. */
export interface RedisNodeClient {
  sendCommand(args: string[], options?: RedisCommandOptions): Promise<unknown>;
}

/** What `createSentinel` gives. */
export interface RedisSentinelClient {
  sendCommand(
    isReadonly: boolean | undefined,
    args: string[],
    options?: RedisCommandOptions,
  ): Promise<unknown>;
  getMasterNode(): unknown;
}

/** What `createCluster` gives. */
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
