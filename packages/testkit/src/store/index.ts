// The contract of the store suite: each line is public.
export { describeHistoryStore } from "./describe-history-store.ts";
export type { OpenHistoryStore, StoreSuiteOptions } from "./store-suite-options.ts";
