import type { CompressionItem, CompressionSpan, CompressionStrategy } from "@agent-history/core";

/**
 * Makes one summary for each block of a history with several system messages: a block begins at a system message, what
 * comes before the first belongs to its block. An earlier summary is extended in the block where it stands.
 */
export const wholeHistoryPerSystemMessage: CompressionStrategy = ({ items }) => ({
  strategy: "whole-history-per-system-message",
  spans: blocksOf(items),
});

function blocksOf(items: readonly CompressionItem[]): readonly CompressionSpan[] {
  const blocks: CompressionItem[][] = [[]];
  let isTold = false;
  for (const item of items) {
    const isSystem = item.entries[0]?.type === "system_message";
    // System messages in a row begin one block.
    if (isSystem && isTold && blocks.at(-1)?.some(({ isCoverable }) => isCoverable) === true) {
      blocks.push([]);
    }
    isTold ||= isSystem;
    blocks.at(-1)?.push(item);
  }
  return blocks.map((covers) => ({ covers }));
}
