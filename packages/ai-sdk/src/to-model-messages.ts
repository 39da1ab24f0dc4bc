import type { HistoryEntry, Viewer } from "@agent-history/core";
import { writeMessages } from "@agent-history/format-kit";
import type { ModelMessage } from "ai";

import { modelFormat } from "./internal/model-format.ts";
import { withoutInstructions } from "./internal/read-instructions.ts";

/**
 * Turns entries into AI SDK model messages, in their order. Linear.
 *
 * What came from such messages is given back as it came, with what it says now: a result that was shrunk since is written
 * shrunk. Other entries read as core's `messageRole` says, the results of one action in one message; their images and files are sent in
 * user messages and results only, their reasoning and opaque parts not at all. Instructions that `fromModelMessages` was given are left out. A valid history (`checkHistory`) gives messages
 * that `generateText` takes; where there are system messages among them, with `allowSystemInMessages`.
 *
 * @param viewer - Whose prompt it is: one's own `final` is an assistant's message, another agent's a user's.
 *
 * @example
 * ```ts
 * import { final, userMessage } from "@agent-history/core";
 * import { toModelMessages } from "@agent-history/ai-sdk";
 *
 * const report = final({ content: "Two seats left.", agent: { id: "w1", role: "worker" } });
 * toModelMessages([userMessage({ content: "Any seats?" }), report], { agentId: "m1" });
 * // => [
 * //   { role: "user", content: "Any seats?" },
 * //   { role: "user", content: "Two seats left." },
 * // ]
 * ```
 */
export function toModelMessages(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): ModelMessage[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever stands in it
  return writeMessages(modelFormat, withoutInstructions(entries), { viewer }) as ModelMessage[];
}
