// The encoding of gpt-4o and later, with its table alone and without Node: each line is public.
export { o200kBaseCounter } from "./o200k-base-counter.ts";
export { o200kBaseRanks } from "./o200k-base-ranks.ts";
