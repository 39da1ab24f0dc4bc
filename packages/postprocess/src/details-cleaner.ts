import type { TextCleaner } from "@agent-history/core";

import { tagCleaner } from "./tag-cleaner.ts";

/** Cuts folded blocks, such as the code that an interpreter ran: `<details>…</details>`. A {@link tagCleaner}. */
export function detailsCleaner(): TextCleaner {
  return tagCleaner({ tag: "details" });
}
