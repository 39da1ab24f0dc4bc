import type { Content, ContentPart, JsonObject, MessageRole } from "@agent-history/core";

import { writeAudio, writeFile, writeImage } from "./chat-media.ts";

/**
 * Writes a content that did not come in a chat message, as OpenAI takes it in a message of this role: images and files in a
 * user's only, elsewhere one line of text says what was there. Reasoning and opaque data are of no use to another format.
 */
export function writeForeignContent(
  content: Content,
  role: MessageRole,
): string | readonly JsonObject[] {
  if (typeof content === "string") return content;
  const parts = content.flatMap((part) => writePart(part, role));
  return parts.length === 0 ? "" : parts;
}

function writePart(part: ContentPart, role: MessageRole): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      return [text(part.text)];
    case "image":
    case "file":
      return writeMedia(part, role);
    case "reasoning":
    case "opaque":
      return [];
  }
}

function writeMedia(
  part: Extract<ContentPart, { readonly type: "image" | "file" }>,
  role: MessageRole,
): readonly JsonObject[] {
  const { source } = part;
  const name = part.type === "file" && part.name !== undefined ? [text(part.name)] : [];
  if (source.kind === "text") return [...name, text(source.text)];
  if (role === "user") {
    // Extra is what another format carries: it says nothing here.
    const { extra: _, ...media } = part;
    const written =
      media.type === "image" ? writeImage(media) : (writeAudio(media) ?? writeFile(media));
    if (written !== undefined) return [written];
  }
  const stub = source.kind === "url" && part.type === "file" ? source.url : `[${part.type}]`;
  return [...name, text(stub)];
}

function text(said: string): JsonObject {
  return { type: "text", text: said };
}
