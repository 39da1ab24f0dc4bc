import type { MessageFormat } from "@agent-history/format-kit";

import { readChatMessage } from "./read-chat.ts";
import { writeChatMessage } from "./write-chat.ts";

/** Messages of chat completions. */
export const chatFormat: MessageFormat = {
  name: "openai-chat",
  idPrefix: "chat",
  types: [
    "system_message",
    "user_message",
    "assistant_message",
    "action",
    "observation",
    "global_observation",
  ],
  shape: "one-to-one",
  read: (message, context) => {
    const draft = readChatMessage(message, context);
    return draft === undefined ? [] : [draft];
  },
  write: ([entry], context) => writeChatMessage(entry, context),
};
