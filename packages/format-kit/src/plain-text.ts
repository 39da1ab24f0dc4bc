import type { Content } from "@agent-history/core";

import { partsOf } from "./part-codec.ts";

/** Returns the text of a content, its parts line by line. */
export function plainText(content: Content | undefined): string {
  return partsOf(content)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
}
