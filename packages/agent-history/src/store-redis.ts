// The public exports of the entry `agent-history/store-redis`.
export { redisStore } from "@agent-history/store-redis";
export type { RedisStoreOptions } from "@agent-history/store-redis";
