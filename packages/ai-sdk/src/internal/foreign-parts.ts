import type { Content, FilePart, ImagePart, MessageRole } from "@agent-history/core";
import { portableContent } from "@agent-history/format-kit";

/** Returns a content that did not come in a model message as one that may stand there: images and files in a user's or a tool's only. */
export function foreignParts(content: Content, role: MessageRole): Content {
  const isTaken = role === "user" || role === "tool";
  if (typeof content === "string") return content;
  // The AI SDK leaves an empty text out.
  const parts = content.filter((part) => part.type !== "text" || part.text !== "");
  return portableContent(parts, (media) => isTaken && isUsable(media));
}

/** An id is known to one provider only, and what is no URL would make the AI SDK throw. */
function isUsable({ source }: ImagePart | FilePart): boolean {
  return source.kind !== "id" && (source.kind !== "url" || URL.canParse(source.url));
}
