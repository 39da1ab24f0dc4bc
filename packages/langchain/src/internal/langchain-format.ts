import { toJsonObject } from "@agent-history/format-kit";
import type { MessageFormat } from "@agent-history/format-kit";

import { messageFields } from "./message-fields.ts";
import { readLangChainMessage } from "./read-langchain.ts";
import { writeLangChainMessage } from "./write-langchain.ts";

/** Messages of LangChain's. */
export const langChainFormat: MessageFormat = {
  name: "langchain",
  idPrefix: "langchain",
  types: ["system_message", "user_message", "assistant_message", "action", "observation"],
  shape: "one-to-one",
  said: messageFields,
  pack: toJsonObject,
  came: new WeakMap(),
  read: (message, context) => {
    const draft = readLangChainMessage(message, context);
    return draft === undefined ? [] : [draft];
  },
  write: ([entry], context) => writeLangChainMessage(entry, context),
};
