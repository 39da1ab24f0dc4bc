import { citedSources, contentText, splitTurns } from "@agent-history/core";
import type { Content, EntryOf, HistoryEntry } from "@agent-history/core";

import type { CitedSources } from "./prompt-state.ts";

const NONE_CITED = "No source of this result was cited.";

type Result = EntryOf<"observation" | "global_observation">;

/** The results made smaller, so that the same choice gives the same object (L5). */
const remembered = new WeakMap<
  HistoryEntry,
  { readonly kept: string; readonly copy: HistoryEntry }
>();

/**
 * Returns which sources were cited up to the newest answer, among those of the results; `before`, what had been found before, is added. Nothing without an
 * answer.
 */
export function findCited(
  entries: readonly HistoryEntry[],
  before?: CitedSources,
): CitedSources | undefined {
  const end = entries.findLastIndex(({ type }) => type === "assistant_message");
  const until = entries[end]?.id;
  if (until === undefined) return undefined;
  const cited = new Set([
    ...(before?.numbers ?? []),
    ...entries.slice(0, end + 1).flatMap(citationsOf),
  ]);
  const shown = entries.flatMap((entry) => (isResult(entry) ? (entry.sources ?? []) : []));
  const numbers = new Set(shown.flatMap(({ number }) => (cited.has(number) ? [number] : [])));
  return { until, numbers: [...numbers] };
}

/**
 * Leaves of the results of answered turns the sources that were cited; their numbers stay. A result of which none was cited says so. What is not answered yet, and
 * what is pinned, is left whole. What comes after `cited.until` changes nothing, so that a prompt that was sent stays as it was.
 */
export function dropUncitedSources(
  entries: readonly HistoryEntry[],
  cited: CitedSources | undefined,
): readonly HistoryEntry[] {
  const end = cited === undefined ? -1 : entries.findIndex(({ id }) => id === cited.until);
  if (cited === undefined || end < 0) return entries;
  const turns = splitTurns(entries.slice(0, end + 1));
  const answered = new Set(turns.flatMap(({ entries: turn }) => answeredResults(turn)));
  if (answered.size === 0) return entries;
  const numbers = new Set(cited.numbers);
  let isChanged = false;
  const shown = entries.map((entry) => {
    if (!isResult(entry) || !answered.has(entry)) return entry;
    const left = keepCited(entry, numbers);
    isChanged ||= left !== entry;
    return left;
  });
  return isChanged ? shown : entries;
}

/** The results with sources that stand before the last answer of their turn. */
function answeredResults(turn: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const answer = turn.findLastIndex(({ type }) => type === "assistant_message");
  return turn.filter(
    (entry, index) =>
      index < answer &&
      isResult(entry) &&
      entry.pinned !== true &&
      (entry.sources?.length ?? 0) > 0,
  );
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
      return citedSources(contentText(entry.content));
    default:
      return [];
  }
}
