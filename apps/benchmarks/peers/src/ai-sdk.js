import { pruneMessages } from "ai";

import { fromPrompt, promptLog } from "./prompt-messages.js";

/** `pruneMessages` of ai, as its documentation has it. It knows no window. */
export function pruneMessagesSystem() {
  return {
    hasNoWindow: true,
    open: (messages) => {
      const { log, append } = promptLog(messages);
      return {
        append,
        fit: () => {
          const kept = pruneMessages({
            messages: log,
            reasoning: "all",
            toolCalls: "before-last-message",
            emptyMessages: "remove",
          });
          return () => kept.flatMap(fromPrompt);
        },
      };
    },
  };
}
