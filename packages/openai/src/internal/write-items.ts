import { messageRole } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, ToolCall, Viewer } from "@agent-history/core";
import { partsOf, mergeJson, shownContent } from "@agent-history/format-kit";

import { writeOwnAnswer } from "./response-answer.ts";
import { writeOwnInput } from "./response-input.ts";
import { writeResponseResult } from "./response-results.ts";
import { foreignContent, writeForeignAnswer, writeForeignParts } from "./write-foreign-items.ts";

const ITEM_TYPES: ReadonlySet<HistoryEntry["type"]> = new Set([
  "system_message",
  "user_message",
  "assistant_message",
  "action",
  "observation",
  "summary",
] as const);

/** What items are written for. */
export interface ItemsContext {
  /** The format that entries come from, as `origin.format` has it. */
  readonly format: string;
  readonly viewer: Viewer;
  readonly callOf: ReadonlyMap<HistoryEntry, ToolCall>;
}

/** Writes an entry as the items it came from, with what it says now; another one as its role says. */
export function writeItems(
  entry: HistoryEntry,
  { format, viewer, callOf }: ItemsContext,
): readonly JsonValue[] {
  const isOwn = isFromItems(entry, format);
  if (entry.type === "observation") {
    const shown = shownContent(entry) ?? "";
    const content = isOwn ? shown : foreignContent(shown);
    const result = writeResponseResult(entry, { content, isOwn, call: callOf.get(entry) });
    return [isOwn ? mergeJson(result, entry.origin?.extra) : result];
  }
  return isOwn ? writeOwn(entry, entry.origin?.extra) : writeForeign(entry, viewer);
}

function writeOwn(entry: HistoryEntry, extra: JsonObject | undefined): readonly JsonValue[] {
  // The request sends them beside its items.
  if (extra?.["as"] === "instructions") return [];
  if (extra?.["as"] === "item") {
    return partsOf(entry.content).flatMap((part) => (part.type === "opaque" ? [part.data] : []));
  }
  const role = entry.type === "summary" ? "assistant" : messageRole(entry);
  return role === "assistant"
    ? writeOwnAnswer(entry)
    : [mergeJson(writeOwnInput(entry, role), extra)];
}

function writeForeign(entry: HistoryEntry, viewer: Viewer): readonly JsonValue[] {
  const role = messageRole(entry, viewer);
  const shown = shownContent(entry);
  return role === "assistant"
    ? writeForeignAnswer(entry, shown)
    : [{ role, content: writeForeignParts(shown ?? "", role) }];
}

/** A type that no item becomes did not come from one, whatever its origin says. */
export function isFromItems({ type, origin }: HistoryEntry, format: string): boolean {
  return origin?.format === format && ITEM_TYPES.has(type);
}
