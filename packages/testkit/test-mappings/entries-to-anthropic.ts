import type { HistoryEntry, JsonObject, Viewer } from "@agent-history/core";

import { anthropicFormat } from "./anthropic-format.ts";
import { writeMessages } from "./internal/message-format.ts";

/**
 * Turns entries into Anthropic messages. Linear.
 *
 * What came from such messages is given back as it came. Other entries read as `messageRole` says, the results of one
 * action in one message; reasoning and opaque parts of other formats are left out.
 */
export function entriesToAnthropic(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): readonly JsonObject[] {
  return writeMessages(anthropicFormat, entries, viewer);
}
