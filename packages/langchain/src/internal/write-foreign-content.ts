import type { Content, JsonValue, MessageRole } from "@agent-history/core";
import { portableContent, writeContent } from "@agent-history/format-kit";

import { langChainParts } from "./langchain-parts.ts";

/** Writes a content that did not come in a message of LangChain's: images and files in a user's message only, as all of its models take them there. */
export function writeForeignContent(
  content: Content,
  role: MessageRole,
): string | readonly JsonValue[] {
  const portable = portableContent(
    content,
    (media) => role === "user" && langChainParts.write(media) !== undefined,
  );
  return writeContent(portable, langChainParts, false);
}
