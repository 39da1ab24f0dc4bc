// The public exports of the entry `agent-history/cl100k-base`.
export { cl100kBaseCounter } from "@agent-history/tokens/cl100k-base";
