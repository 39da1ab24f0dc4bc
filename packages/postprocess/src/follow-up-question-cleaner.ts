import type { TextCleaner } from "@agent-history/core";

import { tagCleaner } from "./tag-cleaner.ts";

/** Cuts suggested questions: `<follow-up-question>…</follow-up-question>`. A {@link tagCleaner}. */
export function followUpQuestionCleaner(): TextCleaner {
  return tagCleaner({ tag: "follow-up-question" });
}
