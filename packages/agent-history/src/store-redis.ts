// The contract of the entry `agent-history/store-redis`: each line is public.
export { redisStore } from "@agent-history/store-redis";
export type { RedisStoreOptions } from "@agent-history/store-redis";
