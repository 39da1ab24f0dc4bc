import { citedSources, splitTurns } from "@agent-history/core";
import type { Content, EntryOf, HistoryEntry } from "@agent-history/core";

const NONE_CITED = "No source of this result was cited.";

type Result = EntryOf<"observation" | "global_observation">;

/** The results made smaller, so that the same choice gives the same object (L5). */
const remembered = new WeakMap<
  HistoryEntry,
  { readonly kept: string; readonly copy: HistoryEntry }
>();

/** Finds the newest answer to the user, where there is one. */
export function newestAnswer(entries: readonly HistoryEntry[]): string | undefined {
  return entries.findLast(({ type }) => type === "assistant_message")?.id;
}

/**
 * Leaves of the results of answered turns the sources that were cited until then; their numbers stay. A result of which none was cited says
 * so. What is not answered yet, and what is pinned, is left whole.
 *
 * @param until - The answer up to which citations are read; what came later changes nothing, so that a prompt that was sent stays as it was.
 */
export function dropUncitedSources(
  entries: readonly HistoryEntry[],
  until: string | undefined,
): readonly HistoryEntry[] {
  const end = until === undefined ? -1 : entries.findIndex(({ id }) => id === until);
  if (end < 0) return entries;
  const seen = entries.slice(0, end + 1);
  const answered = new Set(splitTurns(seen).flatMap(({ entries: turn }) => answeredResults(turn)));
  if (answered.size === 0) return entries;
  const cited = new Set(seen.flatMap(citationsOf));
  let isChanged = false;
  const shown = entries.map((entry) => {
    if (!isResult(entry) || !answered.has(entry)) return entry;
    const left = keepCited(entry, cited);
    isChanged ||= left !== entry;
    return left;
  });
  return isChanged ? shown : entries;
}

/** The results with sources that stand before the last answer of their turn. */
function answeredResults(turn: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const answer = turn.findLastIndex(({ type }) => type === "assistant_message");
  return turn.filter((entry, index) => index < answer && hasSources(entry));
}

/** Leaves of a result the sources of these numbers. */
export function withNumbers(
  entry: HistoryEntry,
  numbers: readonly number[] | undefined,
): HistoryEntry {
  return numbers !== undefined && isResult(entry) ? keepCited(entry, new Set(numbers)) : entry;
}

/** The results of which sources were left out, with the numbers that are left. */
export function leftNumbers(
  entries: readonly HistoryEntry[],
  shown: readonly HistoryEntry[],
): readonly (readonly [id: string, numbers: readonly number[]])[] {
  return shown.flatMap((entry, index) => {
    if (entry === entries[index] || !isResult(entry)) return [];
    return [[entry.id, (entry.sources ?? []).map(({ number }) => number)] as const];
  });
}

/** Returns whether an entry has sources that may be left out. */
export function hasSources(entry: HistoryEntry): boolean {
  return isResult(entry) && entry.pinned !== true && (entry.sources?.length ?? 0) > 0;
}

function isResult(entry: HistoryEntry): entry is Result {
  return entry.type === "observation" || entry.type === "global_observation";
}

function keepCited(entry: Result, cited: ReadonlySet<number>): HistoryEntry {
  const { sources: given = [], ...rest } = entry;
  const sources = given.filter(({ number }) => cited.has(number));
  if (sources.length === given.length) return entry;
  const kept = sources.map(({ number }) => number).join();
  const known = remembered.get(entry);
  if (known?.kept === kept) return known.copy;
  const copy: HistoryEntry =
    sources.length > 0 ? { ...entry, sources } : { ...rest, content: withSentence(entry.content) };
  remembered.set(entry, { kept, copy });
  return copy;
}

/** What the tool said beside its sources stays. */
function withSentence(content: Content): Content {
  if (typeof content !== "string") return [...content, { type: "text", text: NONE_CITED }];
  return content === "" ? NONE_CITED : `${content}\n${NONE_CITED}`;
}

/** What a model wrote, or what stands for it. */
function citationsOf(entry: HistoryEntry): readonly number[] {
  switch (entry.type) {
    case "assistant_message":
    case "action":
    case "final":
    case "synthesis":
    case "summary":
      return citedSources(textOf(entry.content));
    default:
      return [];
  }
}

function textOf(content: Content | undefined): string {
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
