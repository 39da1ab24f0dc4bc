import type { MessageFormat } from "@agent-history/format-kit";

import { isServerCall } from "./anthropic-parts.ts";
import { readAnthropicMessage } from "./read-anthropic.ts";
import { ANTHROPIC_FORMAT, writeAnthropicMessage } from "./write-anthropic.ts";

/**
 * Anthropic messages. A user's message with results is an observation for each and a `user_message` for what stands
 * beside them; a compaction block is a `summary`.
 */
export const anthropicFormat: MessageFormat = {
  name: ANTHROPIC_FORMAT,
  idPrefix: "anthropic",
  types: [
    "system_message",
    "user_message",
    "assistant_message",
    "action",
    "observation",
    "summary",
  ],
  shape: "grouped",
  isAnsweredByProvider: isServerCall,
  read: readAnthropicMessage,
  write: writeAnthropicMessage,
};
