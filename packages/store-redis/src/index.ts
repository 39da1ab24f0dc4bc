// The public API of the package.
export { redisStore } from "./redis-store.ts";
export type { RedisStoreOptions } from "./redis-store.ts";
export type {
  RedisClient,
  RedisClusterClient,
  RedisCommandOptions,
  RedisNodeClient,
  RedisSentinelClient,
} from "./redis-client.ts";
