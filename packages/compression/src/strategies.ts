import { countOption } from "@agent-history/core";
import type {
  CompressionItem,
  CompressionSpan,
  CompressionStrategy,
  Concept,
} from "@agent-history/core";

import { invalidOption } from "./internal/checked.ts";

/** Replaces everything that may be covered by one summary. An earlier summary is extended. The default. */
export const wholeHistory: CompressionStrategy = ({ items }) => ({
  strategy: "whole-history",
  spans: [{ covers: items }],
});

/**
 * Makes one summary for each block of a history with several system messages: a block begins at a system message, entries
 * before the first belong to its block. An earlier summary is extended within its block.
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
    // Consecutive system messages begin one block.
    if (isSystem && isTold && blocks.at(-1)?.some(({ isCoverable }) => isCoverable) === true) {
      blocks.push([]);
    }
    isTold ||= isSystem;
    blocks.at(-1)?.push(item);
  }
  return blocks.map((covers) => ({ covers }));
}

/**
 * Makes one summary of the last `count` coverable messages; older ones are covered too, but not read. An
 * exchange is read whole, and counts as its call and its results. An earlier summary is extended.
 *
 * @param count - From 0 (none: nothing is compressed) to `Infinity`.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a non-negative integer or `Infinity`.
 */
export function fromLastNMessages(count: number): CompressionStrategy {
  const wanted = countOption("count", count);
  return ({ items }) => {
    let left = wanted;
    const reads = items.toReversed().filter(({ entries, isCoverable, isEarlierSummary }) => {
      const isRead = isCoverable && !isEarlierSummary && left > 0;
      if (isRead) left -= entries.length;
      return isRead;
    });
    return { strategy: "from-last-n-messages", spans: [{ covers: items, reads }] };
  };
}

/**
 * Makes one summary of entries from a time on; older ones are covered too, but not read. An exchange
 * has the time of its call. An earlier summary is extended. If nothing is that new, nothing is compressed.
 *
 * @param sinceMs - In epoch milliseconds.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a finite number.
 */
export function fromTimestamp(sinceMs: number): CompressionStrategy {
  if (!Number.isFinite(sinceMs)) {
    throw invalidOption("sinceMs", "a time in epoch milliseconds");
  }
  return ({ items }) => ({
    strategy: "from-timestamp",
    spans: [
      {
        covers: items,
        reads: items.filter(({ entries }) => (entries[0]?.createdAtMs ?? 0) >= sinceMs),
      },
    ],
  });
}

/** Size of a chunk: by messages or tokens, whichever limit is reached first. */
export interface ChunkedOptions {
  /** In messages, from 1; an exchange counts as its call and its results. Default `Infinity`. */
  readonly size?: number | undefined;
  /** In tokens, from 1. Default `Infinity`. */
  readonly maxTokens?: number | undefined;
}

/**
 * Splits what may be covered into chunks and makes one summary for each, in order. An
 * exchange is never split: a larger one gets its own chunk. Earlier summaries stay unchanged.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a size is invalid, or neither is given.
 */
export function chunked(options: ChunkedOptions): CompressionStrategy {
  const size = countOption("size", options.size ?? Infinity);
  const maxTokens = countOption("maxTokens", options.maxTokens ?? Infinity);
  const isGiven = options.size !== undefined || options.maxTokens !== undefined;
  if (!isGiven || size === 0 || maxTokens === 0) {
    throw invalidOption(options.maxTokens === undefined ? "size" : "maxTokens", "given, from 1");
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
  const chunks: CompressionItem[][] = [[]];
  let [messages, tokens] = [0, 0];
  for (const item of items) {
    const { isEarlierSummary, isCoverable, entries } = item;
    if (!isCoverable && !isEarlierSummary) continue;
    const isFull = messages + entries.length > size || tokens + item.tokens > maxTokens;
    if (isEarlierSummary || isFull) {
      chunks.push([]);
      [messages, tokens] = [0, 0];
    }
    if (isEarlierSummary) continue;
    chunks.at(-1)?.push(item);
    messages += entries.length;
    tokens += item.tokens;
  }
  return chunks.filter(({ length }) => length > 0);
}

/**
 * Replaces everything that may be covered by facts about some concepts. A model is asked for all of them at once;
 * without a model, the sentences closest to a concept are taken. If nothing is found, nothing is compressed.
 *
 * @param concepts - One or more.
 * @throws `HistoryError` with code `INVALID_OPTION` if there is none, one lacks keyword or description, or a keyword is repeated.
 */
export function retrieveFacts(concepts: readonly Concept[]): CompressionStrategy {
  const keywords = new Set<string>();
  if (!Array.isArray(concepts) || concepts.length === 0)
    throw invalidOption("concepts", "one or more");
  for (const [index, { keyword, description, factType }] of concepts.entries()) {
    const option = `concepts.${index}`;
    if (!isText(keyword) || keywords.has(keyword)) {
      throw invalidOption(`${option}.keyword`, "a non-empty string, each once");
    }
    if (!isText(description)) throw invalidOption(`${option}.description`, "a non-empty string");
    if (factType !== "single" && factType !== "multiple") {
      throw invalidOption(`${option}.factType`, "`single` or `multiple`");
    }
    keywords.add(keyword);
  }
  return ({ items }) => ({
    strategy: "retrieve-facts",
    spans: [{ covers: items, concepts }],
  });
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** Compresses nothing: the outcome is `not-needed`. */
export const noCompression: CompressionStrategy = () => ({
  strategy: "no-compression",
  spans: [],
});
