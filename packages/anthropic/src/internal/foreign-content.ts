import type { Content, FilePart, ImagePart, MessageRole } from "@agent-history/core";
import { portableContent } from "@agent-history/format-kit";

const IMAGES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** Returns a content of another format as Anthropic takes it from this role: images and documents from users and tools only. */
export function foreignContent(content: Content, role: MessageRole): Content {
  const mayShow = role === "user" || role === "tool";
  return portableContent(content, (media) => mayShow && isTaken(media));
}

/** A file of another provider's store is not here. */
function isTaken({ type, source, mediaType }: ImagePart | FilePart): boolean {
  if (source.kind === "url") return true;
  if (source.kind !== "data") return false;
  return type === "image"
    ? IMAGES.has(mediaType ?? "image/png")
    : (mediaType ?? "application/pdf") === "application/pdf";
}
