import type { HistoryEntry, HistoryQuery, ToolAnswer } from "@agent-history/core";

import type { RecallToolOptions } from "../recall-tool-options.ts";
import { numberSources } from "./citation-numbers.ts";
import { ENTRY_SOURCE } from "./recall-quote.ts";

/** The options of the tools with their defaults. */
export interface Recalling extends RecallToolOptions {
  readonly maxTokens: number;
  /** The names of the tools themselves, whose calls and answers only repeat what is found elsewhere. */
  readonly toolNames: ReadonlySet<string>;
}

/** Reads what the agent may see, as it was written or as its view shows it. */
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

/** An answer that says why there is none. */
export function refusal(content: string): ToolAnswer {
  return { outcome: "error", content, sources: [] };
}
