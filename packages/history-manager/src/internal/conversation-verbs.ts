import { assistantMessage, attachment, errorEntry, memory, userMessage } from "@agent-history/core";

import type { HistoryWriter } from "../history-manager.ts";
import type { Scope } from "../scope.ts";
import { fieldsInScope } from "./fields-in-scope.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { writeOne } from "./write-one.ts";

/** Keeps what the user and the agent say to each other, what is remembered for them, and what went wrong. */
export function conversationVerbs(
  thread: ManagedThread,
  scope: Scope,
): Pick<HistoryWriter, "addUserMessage" | "addAssistantMessage" | "addMemory" | "addError"> {
  const { options: sources, log, start } = thread;
  return {
    addUserMessage: async ({ attachments: given = [], ...fields }, { signal } = {}) => {
      // A user is no agent: of the scope, the turn alone is theirs.
      const message = userMessage(fieldsInScope(scope, fields, ["turnId"]), sources);
      const { id: messageId, turnId } = message;
      const attachments = given.map((each, index) => {
        // Made from the message's, so that a second try has the same.
        const { id = `${messageId}/attachment/${index}` } = each;
        return attachment(
          { ...fieldsInScope({ ...(turnId && { turnId }) }, each), id, messageId },
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
      writeOne(thread, assistantMessage(fieldsInScope(scope, fields), sources), options),

    addMemory: async (fields, options) =>
      writeOne(thread, memory(fieldsInScope(scope, fields), sources), options),

    addError: async (fields, options) =>
      writeOne(thread, errorEntry(fieldsInScope(scope, fields), sources), options),
  };
}
