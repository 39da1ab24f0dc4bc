import type { HistoryEntry, Viewer } from "@agent-history/core";
import { writeMessages } from "@agent-history/format-kit";

import { anthropicFormat } from "./anthropic-format.ts";

/**
 * Turns entries into Anthropic messages. Linear.
 *
 * What came from such messages is given back as it came. Other entries read as `messageRole` says, the results of one
 * action in one message; reasoning and opaque parts of other formats are left out.
 */
export function toAnthropicMessages(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): readonly object[] {
  return writeMessages(anthropicFormat, entries, { viewer });
}
