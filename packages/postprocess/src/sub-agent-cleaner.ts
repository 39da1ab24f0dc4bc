import type { TextCleaner } from "@agent-history/core";

import { tagCleaner } from "./tag-cleaner.ts";

/** Cuts what sub-agents said, with its wrapper: `<sub-agent name="…">…</sub-agent>`. A {@link tagCleaner}. */
export function subAgentCleaner(): TextCleaner {
  return tagCleaner({ tag: "sub-agent" });
}
