import type { HistoryEntry, HistoryQuery, ToolAnswer } from "@agent-history/core";

import type { RecallToolOptions } from "../recall-tool-options.ts";
import { numberSources } from "./citation-numbers.ts";
import { ENTRY_SOURCE, excerptSource, quoteExcerpt } from "./recall-quote.ts";
import type { Excerpt } from "./recall-quote.ts";
import { characterStart, longestWithin } from "./truncate-to-tokens.ts";

/** The options of the tools with their defaults. */
export interface Recalling extends RecallToolOptions {
  readonly maxTokens: number;
  /** The names of the recall tools; their calls and answers only repeat other entries. */
  readonly toolNames: ReadonlySet<string>;
}

/** Reads what the agent may see: the originals, or its view. */
export async function readSeen(
  { store, threadId, filter, context = {} }: RecallToolOptions,
  originals: boolean,
  signal: AbortSignal | undefined,
): Promise<readonly HistoryEntry[]> {
  const query: HistoryQuery = filter?.query(context) ?? { clauses: [{}], view: "thread" };
  const { entries } = await store.read(threadId, { query, originals, ...(signal && { signal }) });
  return filter?.refine?.(entries, context) ?? entries;
}

/** Returns the numbers under which entries are quoted. */
export async function numberEntries(
  { store, threadId }: RecallToolOptions,
  entries: readonly HistoryEntry[],
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const sources = entries.map(({ id }) => ({ id: `${ENTRY_SOURCE}${id}` }));
  const numbers = await numberSources({ store, threadId, signal }, sources);
  return sources.map(({ id }) => numbers.get(id) ?? 0);
}

/** Quotes as many excerpts as fit; the first is truncated if it does not fit alone. */
export async function quoteWithin(
  { maxTokens, counter }: Recalling,
  excerpts: readonly Excerpt[],
): Promise<ToolAnswer> {
  const [first] = excerpts;
  const several = (count: number): readonly Excerpt[] => excerpts.slice(0, count + 1);
  const cut = (length: number): readonly Excerpt[] =>
    first === undefined ? [] : [{ ...first, to: characterStart(first.text, first.from + length) }];
  const longest = first === undefined ? 0 : first.to - first.from;
  for (const { shown, size } of [
    { shown: several, size: excerpts.length - 1 },
    { shown: cut, size: longest },
  ]) {
    const render = (length: number): string => shown(length).map(quoteExcerpt).join("\n\n");
    const within = await longestWithin({ size, render, maxTokens, counter });
    if (within === undefined) continue;
    const sources = shown(within.size).map(excerptSource);
    return { outcome: "success", content: within.text, sources };
  }
  return { outcome: "success", content: "", sources: [] };
}

/** An answer that says why nothing was found. */
export function refusal(content: string): ToolAnswer {
  return { outcome: "error", content, sources: [] };
}
