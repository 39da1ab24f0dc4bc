import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import { parseJson, plainText } from "@agent-history/format-kit";

/** Returns what entries say in any format: types, texts, calls and results, without ids of ours and without origin. */
export function whatIsSaid(entries: readonly HistoryEntry[]): readonly JsonObject[] {
  return entries.map((entry) => {
    const said = { type: entry.type, text: plainText(entry.content) };
    if (entry.type === "action") return { ...said, calls: entry.toolCalls.map(callOf) };
    if (entry.type !== "observation") return said;
    return { ...said, callId: entry.callId, toolName: entry.toolName };
  });
}

function callOf(call: { id: string; name: string; arguments: string }): JsonValue {
  return { id: call.id, name: call.name, input: parseJson(call.arguments) ?? call.arguments };
}

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
