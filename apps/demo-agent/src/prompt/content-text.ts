import type { Content, ContentPart } from "@agent-history/core";

/** The text of a content as this team's prompts show it; an image or file is named in brackets. */
export function contentText(content: Content | undefined): string {
  if (content === undefined) return "";
  return typeof content === "string" ? content : content.map(partText).join("\n");
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return "[image]";
    case "file":
      return `[file ${part.name ?? ""}]`;
    case "reasoning":
    case "opaque":
      // Only the format it came from can give it back, and this team has none.
      return "";
  }
}
