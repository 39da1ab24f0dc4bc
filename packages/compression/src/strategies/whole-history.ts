import type { CompressionStrategy } from "@agent-history/core";

/** Puts one summary instead of everything that may be covered. An earlier summary is extended. The default. */
export const wholeHistory: CompressionStrategy = ({ items }) => ({
  strategy: "whole-history",
  spans: [{ covers: items }],
});
