import type { HistoryEntry } from "@agent-history/core";
import type { UIMessage } from "ai";

import { readUiRuns } from "./internal/ui-runs.ts";

/**
 * Turns entries into UI messages, for `useChat` and for pages that show a thread. Linear.
 *
 * What `fromUIMessages` read comes back as it came: ids, metadata, data parts, sources, files, tool states; without what JSON does not have, such as
 * `undefined`. Other entries become messages of their role: an answer with its calls and their results is one message, up to the next user
 * message. Summaries and memories, which are for the model, are left out, and so are instructions. A message that was read with `newId` comes back in pieces.
 *
 * @example
 * ```ts
 * import { assistantMessage, userMessage } from "@agent-history/core";
 * import { toUIMessages } from "@agent-history/ai-sdk";
 *
 * toUIMessages([
 *   userMessage({ id: "u1", content: "To Rome, please." }),
 *   assistantMessage({ id: "a1", content: "Two flights go there." }),
 * ]);
 * // => [
 * //   { id: "u1", role: "user", parts: [{ type: "text", text: "To Rome, please." }] },
 * //   {
 * //     id: "a1",
 * //     role: "assistant",
 * //     parts: [{ type: "step-start" }, { type: "text", text: "Two flights go there." }],
 * //   },
 * // ]
 * ```
 */
export function toUIMessages(entries: readonly HistoryEntry[]): UIMessage[] {
  const messages: readonly unknown[] = readUiRuns(entries).map(({ message }) => message);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a UI message goes out as one, whatever stands in it
  return messages as UIMessage[];
}
