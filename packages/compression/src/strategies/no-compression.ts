import type { CompressionStrategy } from "@agent-history/core";

/** Compresses nothing: the outcome is `not-needed`. */
export const noCompression: CompressionStrategy = () => ({
  strategy: "no-compression",
  spans: [],
});
