// The public exports of the entry `agent-history/o200k-base`.
export { o200kBaseCounter } from "@agent-history/tokens/o200k-base";
