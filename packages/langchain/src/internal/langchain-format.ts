import {
  blankText,
  callIds,
  knownMessages,
  pairedCalls,
  portableWeight,
  toJsonObject,
  uniqueCalls,
  wellFormedText,
} from "@agent-history/format-kit";
import type { MessageFormat, TargetFormat } from "@agent-history/format-kit";

import { foreignContent } from "./langchain-parts.ts";
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

const MESSAGES = "https://docs.langchain.com/oss/javascript/langchain/messages";

/** What LangChain's classes send as it is and providers refuse, and what an entry costs there. */
export const langChainTarget: TargetFormat = {
  rules: [
    wellFormedText("https://github.com/anthropics/claude-code/issues/56064"),
    knownMessages(MESSAGES),
    pairedCalls(MESSAGES),
    callIds({ source: MESSAGES, isTaken: (id) => /^[\w-]{1,64}$/.test(id) }),
    uniqueCalls(MESSAGES),
    blankText(MESSAGES, langChainFormat.name),
  ],
  weigh: portableWeight(langChainFormat.name, foreignContent),
};
