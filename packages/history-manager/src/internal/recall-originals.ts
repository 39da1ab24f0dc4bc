import { SUMMARY, SYSTEM_MESSAGE, findQuestion, renderSources } from "@agent-history/core";
import type {
  Content,
  HistoryEntry,
  HistoryQuery,
  ReadResult,
  ToolAnswer,
} from "@agent-history/core";

import type { RecallToolOptions } from "../recall-tool-options.ts";

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
  const query: HistoryQuery = filter?.query(context) ?? EVERYTHING;
  const options = { query, originals, ...(signal && { signal }) };
  const { entries }: ReadResult = await store.read(threadId, options);
  return filter?.refine?.(entries, context) ?? entries;
}

const EVERYTHING: HistoryQuery = { clauses: [{}], view: "thread" };

/** Leaves out what is always shown, what only repeats, and what says nothing. */
export function searchable(
  entries: readonly HistoryEntry[],
  { toolNames }: Recalling,
): readonly HistoryEntry[] {
  const question = findQuestion(entries);
  return entries.filter((entry) => {
    if (entry === question || entry.type === SYSTEM_MESSAGE || entry.type === SUMMARY) return false;
    if (entry.type === "observation" && toolNames.has(entry.toolName)) return false;
    return originalText(entry, toolNames) !== "";
  });
}

/** What an entry says in words: its text, its calls, its sources. Reasoning and provider data are no words. */
export function originalText(entry: HistoryEntry, left: ReadonlySet<string>): string {
  switch (entry.type) {
    case "action": {
      const calls = entry.toolCalls.filter(({ name }) => !left.has(name));
      const lines = calls.map((call) => `${call.name} ${call.arguments}`);
      return joined([textOf(entry.content), ...lines]);
    }
    case "observation":
    case "global_observation":
      return joined([textOf(entry.content), renderSources(entry.sources ?? [])]);
    case "user_message":
      return textOf(entry.rendered ?? entry.content);
    case "opaque":
      return "";
    default:
      return textOf(entry.content);
  }
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

/** An entry of a type of the user's own may have no content. */
function textOf(content: Content | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return joined(
    content.map((part) => (part.type === "text" ? part.text : (MARKS.get(part.type) ?? ""))),
  );
}

const MARKS = new Map([
  ["image", "(an image)"],
  ["file", "(a file)"],
]);

/** An answer that says why there is none. */
export function refusal(content: string): ToolAnswer {
  return { outcome: "error", content, sources: [] };
}
