import type { EntrySources, HistoryEntry } from "@agent-history/core";

import { anthropicFormat } from "./anthropic-format.ts";
import { readMessages } from "./internal/message-format.ts";
import { toJsonObject } from "./internal/to-json.ts";

/**
 * Turns Anthropic messages into entries, so that `entriesToAnthropic` gives the same messages back. Linear.
 *
 * Each result is an `observation`, thinking a reasoning part, what a server tool did an opaque part of the answer, a
 * compaction block a `summary`. A request's `system` goes in as a first message of the role `system`.
 */
export function anthropicToEntries(
  messages: readonly object[],
  sources: EntrySources = {},
): readonly HistoryEntry[] {
  return readMessages(
    anthropicFormat,
    messages.map((message) => toJsonObject(message)),
    sources,
  );
}
