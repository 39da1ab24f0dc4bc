import { HistoryError, countOption } from "@agent-history/core";
import type { CompressionItem, CompressionStrategy } from "@agent-history/core";

/** How large one chunk is: by messages or by tokens, whichever is full first. */
export interface ChunkedOptions {
  /** In messages, from 1; an exchange counts as its call and its results. Default `Infinity`. */
  readonly size?: number | undefined;
  /** In tokens, from 1. Default `Infinity`. */
  readonly maxTokens?: number | undefined;
}

/**
 * Cuts what may be covered into chunks and makes one summary for each, in order, so that the course of things is kept. An
 * exchange is never cut: one that is larger than a chunk has a chunk for itself. Earlier summaries stay as they are.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a size is none, or neither is given.
 */
export function chunked(options: ChunkedOptions): CompressionStrategy {
  const size = countOption("size", options.size ?? Infinity);
  const maxTokens = countOption("maxTokens", options.maxTokens ?? Infinity);
  const isGiven = options.size !== undefined || options.maxTokens !== undefined;
  if (!isGiven || size === 0 || maxTokens === 0) {
    throw new HistoryError("Expected `size` or `maxTokens` of a chunk to be given, from 1.", {
      code: "INVALID_OPTION",
      details: { option: options.maxTokens === undefined ? "size" : "maxTokens" },
    });
  }
  return ({ items }) => ({
    strategy: "chunked",
    spans: chunksOf(items, size, maxTokens).map((covers) => ({ covers })),
  });
}

function chunksOf(
  items: readonly CompressionItem[],
  size: number,
  maxTokens: number,
): readonly (readonly CompressionItem[])[] {
  const chunks: CompressionItem[][] = [];
  let chunk: CompressionItem[] = [];
  let messages = 0;
  let tokens = 0;
  for (const item of items) {
    if (item.isEarlierSummary) {
      begin();
      continue;
    }
    if (!item.isCoverable) continue;
    if (messages + item.entries.length > size || tokens + item.tokens > maxTokens) begin();
    chunk.push(item);
    messages += item.entries.length;
    tokens += item.tokens;
  }
  begin();
  return chunks;

  function begin(): void {
    if (chunk.length > 0) chunks.push(chunk);
    chunk = [];
    messages = 0;
    tokens = 0;
  }
}
