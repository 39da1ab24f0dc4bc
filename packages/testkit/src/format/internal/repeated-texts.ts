import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";

/** Returns entries as they would be without a provider: no format carries anything for them. */
export function withoutOrigin(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return entries.map((entry) => {
    const { origin: _, ...said } = entry;
    return said;
  });
}

/**
 * Returns the sentences that stand in the entries more often than in the messages they came from. The names of calls may:
 * a result carries its tool's.
 */
export function repeatedTexts(
  messages: readonly JsonObject[],
  entries: readonly HistoryEntry[],
): readonly string[] {
  const came = JSON.stringify(messages);
  const stored = JSON.stringify(entries);
  const names = entries.flatMap(namesIn);
  return sentencesIn(messages)
    .filter((text) => !names.some((name) => name.includes(text)))
    .filter((text) => timesIn(stored, text) > timesIn(came, text));
}

function namesIn(entry: HistoryEntry): readonly string[] {
  if (entry.type === "observation") return [entry.callId, entry.toolName];
  if (entry.type !== "action") return [];
  return entry.toolCalls.flatMap(({ id, name }) => [id, name]);
}

/** Returns the sentences of the messages that the entries lack. */
export function missingTexts(
  messages: readonly JsonObject[],
  entries: readonly (HistoryEntry | JsonObject)[],
): readonly string[] {
  const stored = JSON.stringify(entries);
  return sentencesIn(messages).filter((text) => timesIn(stored, text) === 0);
}

/** Texts of words; ids, types and names have no spaces. Those that JSON escapes look different in arguments. */
function sentencesIn(value: JsonValue): readonly string[] {
  if (typeof value === "string")
    return /^[\w.,:;' !?-]* [\w.,:;' !?-]*$/u.test(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((item: JsonValue) => sentencesIn(item));
}

function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}
