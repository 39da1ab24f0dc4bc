import { historyCleaner, metadataSpanCleaner } from "@agent-history/postprocess";
import type { HistoryCleaner } from "@agent-history/postprocess";

import { followUpQuestions } from "./follow-up-questions.ts";

/** The field of an answer's metadata that records its source list. */
export const ADDED_KEY = "addedSpans";

/** Takes from the answers in a history what `decorateAnswer` added, the last first. */
export const answerCleaner: HistoryCleaner = historyCleaner({
  cleaners: [metadataSpanCleaner({ key: ADDED_KEY, name: "source-list" }), followUpQuestions([])],
  types: ["assistant_message"],
});
