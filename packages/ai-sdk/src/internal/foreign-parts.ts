import type { Content, ContentPart, FilePart, ImagePart, MessageRole } from "@agent-history/core";

/**
 * Gives a content that did not come in a model message as one that may stand in a message of this role: images and files in a
 * user's or a tool's only, elsewhere one line of text says what was there. Reasoning and opaque data are of no use to another
 * format.
 */
export function foreignParts(content: Content, role: MessageRole): Content {
  if (typeof content === "string") return content;
  const parts = content.flatMap((part) => foreignPart(part, role));
  return parts.length === 0 ? "" : parts;
}

function foreignPart(part: ContentPart, role: MessageRole): readonly ContentPart[] {
  switch (part.type) {
    case "text":
      // The AI SDK leaves it out.
      return part.text === "" ? [] : [text(part.text)];
    case "image":
    case "file":
      return foreignMedia(part, role);
    case "reasoning":
    case "opaque":
      return [];
  }
}

function foreignMedia(part: ImagePart | FilePart, role: MessageRole): readonly ContentPart[] {
  const { source } = part;
  const name = part.type === "file" && part.name !== undefined ? [text(part.name)] : [];
  if (source.kind === "text") return [...name, text(source.text)];
  const isTaken = role === "user" || role === "tool";
  // An id is known to one provider only.
  if (isTaken && source.kind !== "id" && isUsable(part)) {
    const { extra: _, ...media } = part;
    return [media];
  }
  const stub = source.kind === "url" && part.type === "file" ? source.url : `[${part.type}]`;
  return [...name, text(stub)];
}

/** What is no URL would make the AI SDK throw. */
function isUsable({ source }: ImagePart | FilePart): boolean {
  return source.kind !== "url" || URL.canParse(source.url);
}

function text(said: string): ContentPart {
  return { type: "text", text: said };
}
