import type { HistoryEntry } from "@agent-history/core";
import { readMessages } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import { anthropicFormat } from "./anthropic-format.ts";

/**
 * Turns Anthropic messages into entries, so that `toAnthropicMessages` gives the same messages back. Linear.
 *
 * Each result is an `observation`, thinking a reasoning part, what a server tool did an opaque part of the answer, a
 * compaction block a `summary`. A request's `system` goes in as a first message of the role `system`.
 */
export function fromAnthropicMessages(
  messages: readonly object[],
  options: ReadOptions = {},
): readonly HistoryEntry[] {
  return readMessages(anthropicFormat, messages, options);
}
