// The contract of the entry `agent-history/o200k-base`: each line is public.
export { o200kBaseCounter } from "@agent-history/tokens/o200k-base";
