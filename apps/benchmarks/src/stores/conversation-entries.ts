import { assistantMessage, userMessage } from "@agent-history/core";
import type { AssistantMessageEntry, UserMessageEntry } from "@agent-history/core";

import { prose } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";

/** Makes questions and answers in turn, some 300 bytes of text each, from a place of the conversation on. */
export function conversationEntries(
  from: number,
  count: number,
): readonly ((UserMessageEntry | AssistantMessageEntry) & { readonly content: string })[] {
  const random = seededRandom(from + 1);
  return Array.from({ length: count }, (_, index) => {
    const entryIndex = from + index;
    const made = { id: `e${entryIndex}`, createdAtMs: 1_760_000_000_000 + entryIndex };
    const content = prose(random, 60);
    return entryIndex % 2 === 0
      ? { ...userMessage({ ...made, content }), content }
      : { ...assistantMessage({ ...made, content }), content };
  });
}
