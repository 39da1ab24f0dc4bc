import type { Content, JsonValue, MessageRole } from "@agent-history/core";
import { portableContent, writeContent } from "@agent-history/format-kit";

import { chatParts } from "./chat-parts.ts";

/** Writes a content that did not come in a chat message, as OpenAI takes it in a message of this role: images and files in a user's only. */
export function writeForeignContent(
  content: Content,
  role: MessageRole,
): string | readonly JsonValue[] {
  const portable = portableContent(
    content,
    (media) => role === "user" && chatParts.write(media) !== undefined,
  );
  return writeContent(portable, chatParts, false);
}
