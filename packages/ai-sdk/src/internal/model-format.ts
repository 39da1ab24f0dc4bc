import { packBinary, unpackBinary } from "@agent-history/format-kit";
import type { MessageFormat } from "@agent-history/format-kit";

import { readModelMessage } from "./read-model.ts";
import { joinUserMessages, writeModelMessage } from "./write-model.ts";

/** Model messages of the AI SDK. */
export const modelFormat: MessageFormat = {
  name: "ai-sdk",
  idPrefix: "message",
  types: [
    "system_message",
    "user_message",
    "assistant_message",
    "action",
    "observation",
    "summary",
  ],
  shape: "grouped",
  read: readModelMessage,
  write: writeModelMessage,
  join: joinUserMessages,
  pack: packBinary,
  unpack: unpackBinary,
  came: new WeakMap(),
};
