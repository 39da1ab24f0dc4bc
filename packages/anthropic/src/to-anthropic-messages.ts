import type { HistoryEntry, Viewer } from "@agent-history/core";
import { writeMessages } from "@agent-history/format-kit";

import type { AnthropicMessage } from "./anthropic-message.ts";
import { anthropicFormat } from "./internal/anthropic-format.ts";

/**
 * Converts entries to Anthropic messages, in their order, and changes nothing of what came from such messages but what it says now. Linear. `toAnthropicRequest` makes
 * a request of entries, which the API takes; this is its lossless half.
 *
 * Other entries read as core's `messageRole` says, the results of one action in one message; their images and files are sent in user messages and results only, their
 * reasoning and opaque parts not at all. A `system` that `fromAnthropicMessages` read is left out, because the request sends it beside its messages.
 *
 * @param viewer - Whose prompt it is: one's own `final` is an assistant's message, another agent's a user's.
 *
 * @example
 * ```ts
 * import { final, userMessage } from "@agent-history/core";
 * import { toAnthropicMessages } from "@agent-history/anthropic";
 *
 * const report = final({ content: "Two seats left.", agent: { id: "w1", role: "worker" } });
 * toAnthropicMessages([userMessage({ content: "Any seats?" }), report], { agentId: "w1" });
 * // => [
 * //   { role: "user", content: "Any seats?" },
 * //   { role: "assistant", content: "Two seats left." },
 * // ]
 * ```
 */
export function toAnthropicMessages(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): AnthropicMessage[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever its provider put there
  return writeMessages(anthropicFormat, entries, { viewer }) as AnthropicMessage[];
}
