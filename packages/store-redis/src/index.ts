// The contract of the package: each line is public.
export { redisStore } from "./redis-store.ts";
export type { RedisStoreOptions } from "./redis-store.ts";
export type {
  RedisClient,
  RedisClusterClient,
  RedisCommandOptions,
  RedisNodeClient,
  RedisSentinelClient,
} from "./redis-client.ts";
