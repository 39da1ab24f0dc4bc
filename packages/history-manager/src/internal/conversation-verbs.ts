import { assistantMessage, attachment, errorEntry, memory, userMessage } from "@agent-history/core";

import type { HistoryWriter } from "../history-manager.ts";
import type { Place } from "../place.ts";
import { fieldsAt } from "./fields-at.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { writeOne } from "./write-one.ts";

/** Keeps what the user and the agent say to each other, what is remembered for them, and what went wrong. */
export function conversationVerbs(
  thread: ManagedThread,
  place: Place,
): Pick<HistoryWriter, "addUserMessage" | "addAssistantMessage" | "addMemory" | "addError"> {
  const { options: sources, log, start } = thread;
  return {
    addUserMessage: async ({ attachments: given = [], ...fields }, { signal } = {}) => {
      // A user is no agent: of the place, the turn alone is theirs.
      const message = userMessage(fieldsAt(place, fields, ["turnId"]), sources);
      const { id: messageId, turnId } = message;
      const attachments = given.map((each, index) => {
        // Made from the message's, so that a second try has the same.
        const { id = `${messageId}/attachment/${index}` } = each;
        return attachment(
          { ...fieldsAt({ ...(turnId && { turnId }) }, each), id, messageId },
          sources,
        );
      });
      const drafts = [message, ...attachments].map((entry) => ({ entry }));
      const kept = await log.write(drafts, { isAtomic: true, start, signal });
      return {
        message: kept.find((entry) => entry.type === "user_message") ?? message,
        attachments: kept.filter((entry) => entry.type === "attachment"),
      };
    },

    addAssistantMessage: async (fields, options) =>
      writeOne(thread, assistantMessage(fieldsAt(place, fields), sources), options),

    addMemory: async (fields, options) =>
      writeOne(thread, memory(fieldsAt(place, fields), sources), options),

    addError: async (fields, options) =>
      writeOne(thread, errorEntry(fieldsAt(place, fields), sources), options),
  };
}
