import type { CompressionStrategy } from "../compression-strategy.ts";

/** Compresses nothing: the outcome is `not-needed`. */
export const noCompression: CompressionStrategy = () => ({
  strategy: "no-compression",
  spans: [],
});
