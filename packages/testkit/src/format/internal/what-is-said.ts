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
