import { packBinary, portableWeight, unpackBinary } from "@agent-history/format-kit";
import type { MessageFormat, TargetFormat } from "@agent-history/format-kit";

import { readModelMessage } from "./read-model.ts";
import { joinUserMessages, foreignContent, writeModelMessage } from "./write-model.ts";

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

/** What the AI SDK takes, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export const modelTarget: TargetFormat = {
  repair: (entries) => ({ entries, repairs: [] }),
  weigh: portableWeight(modelFormat.name, foreignContent),
};
