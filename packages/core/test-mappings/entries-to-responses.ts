import { messageRole } from "../src/index.ts";
import type { HistoryEntry, JsonValue, Viewer } from "../src/index.ts";
import { partsOf } from "./internal/part-codec.ts";
import { patchWire } from "./internal/patch-wire.ts";
import { shownContent } from "./internal/shown-content.ts";
import { writeAnswerItems } from "./responses-answer.ts";
import { writeResponsesMessage } from "./responses-input.ts";
import { writeResponsesResult } from "./responses-results.ts";
import { RESPONSES } from "./responses-to-entries.ts";

/**
 * Turns entries into OpenAI Responses items. Linear.
 *
 * What came from such items is given back as it came. Other entries read as `messageRole` says; reasoning and opaque
 * parts of other formats are left out.
 */
export function entriesToResponses(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): readonly JsonValue[] {
  return entries.flatMap((entry) => writeEntry(entry, viewer));
}

function writeEntry(entry: HistoryEntry, viewer: Viewer): readonly JsonValue[] {
  const isOwn = entry.origin?.format === RESPONSES;
  const extra = isOwn ? entry.origin?.extra : undefined;
  if (entry.type === "observation") {
    return [patchWire(writeResponsesResult(entry, shownContent(entry) ?? "", isOwn), extra)];
  }
  if (extra?.["as"] === "item") {
    return partsOf(entry.content).flatMap((part) => (part.type === "opaque" ? [part.data] : []));
  }
  const role = isOwn && entry.type === "summary" ? "assistant" : messageRole(entry, viewer);
  return role === "assistant"
    ? writeAnswerItems(entry, isOwn)
    : [patchWire(writeResponsesMessage(entry, role, isOwn), extra)];
}
