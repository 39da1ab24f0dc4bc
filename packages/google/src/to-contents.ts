import type { HistoryEntry, Viewer } from "@agent-history/core";
import { writeMessages } from "@agent-history/format-kit";

import type { GoogleContent } from "./google-content.ts";
import { googleFormat } from "./internal/google-format.ts";

/**
 * Converts entries to contents of Gemini's API, in their order, and changes nothing of what came as such but what it says now. Linear. A `systemInstruction` that `fromContents`
 * read is left out, because the request sends it beside its contents; another system message is a user's, since contents know no other role.
 *
 * @param viewer - Whose prompt it is: one's own `final` is a model's content, another agent's a user's.
 *
 * @example
 * ```ts
 * import { action, observation } from "@agent-history/core";
 * import { toContents } from "@agent-history/google";
 *
 * const call = { id: "c1", name: "find", arguments: '{"to":"Rome"}' };
 * const said = { callId: "c1", toolName: "find", outcome: "success", content: "Two flights." } as const;
 * toContents([action({ toolCalls: [call] }), observation(said)]);
 * // => [
 * //   { role: "model", parts: [{ functionCall: { id: "c1", name: "find", args: { to: "Rome" } } }] },
 * //   {
 * //     role: "user",
 * //     parts: [{ functionResponse: { id: "c1", name: "find", response: { output: "Two flights." } } }],
 * //   },
 * // ]
 * ```
 */
export function toContents(entries: readonly HistoryEntry[], viewer: Viewer = {}): GoogleContent[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a content goes out as one, whatever its provider put there
  return writeMessages(googleFormat, entries, { viewer }) as GoogleContent[];
}
