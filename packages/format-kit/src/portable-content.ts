import type { Content, ContentPart, FilePart, ImagePart } from "@agent-history/core";

/**
 * Returns a content of another format as one that may stand in a message of this one: images and files where the format takes them, elsewhere
 * their name and one line of text. Reasoning and opaque data, which only their own format understands, are left out, and so is every `extra`.
 *
 * @param takes - Whether an image or file, without `extra`, may stand there.
 */
export function portableContent(
  content: Content,
  takes: (media: ImagePart | FilePart) => boolean,
): Content {
  if (typeof content === "string") return content;
  const parts = content.flatMap((part) => portablePart(part, takes));
  return parts.length === 0 ? "" : parts;
}

function portablePart(
  part: ContentPart,
  takes: (media: ImagePart | FilePart) => boolean,
): readonly ContentPart[] {
  switch (part.type) {
    case "text":
      return [text(part.text)];
    case "image":
    case "file": {
      const { extra: _, ...media } = part;
      const { source } = media;
      if (source.kind !== "text" && takes(media)) return [media];
      return [...nameOf(media), text(source.kind === "text" ? source.text : lineOf(media))];
    }
    case "reasoning":
    case "opaque":
      return [];
  }
}

function nameOf(media: ImagePart | FilePart): readonly ContentPart[] {
  return media.type === "file" && media.name !== undefined ? [text(media.name)] : [];
}

function lineOf({ type, source }: ImagePart | FilePart): string {
  return source.kind === "url" && type === "file" ? source.url : `[${type}]`;
}

function text(said: string): ContentPart {
  return { type: "text", text: said };
}
