// The contract of the entry `agent-history/cl100k-base`: each line is public.
export { cl100kBaseCounter } from "@agent-history/tokens/cl100k-base";
