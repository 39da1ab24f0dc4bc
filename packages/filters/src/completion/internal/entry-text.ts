import type { Content } from "@agent-history/core";

/** The text of a content: all of it, or its text parts. */
export function textOf(content: Content | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
