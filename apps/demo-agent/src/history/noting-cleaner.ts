import type { HistoryEntry } from "@agent-history/core";
import type { AnswerCleaner } from "@agent-history/history-manager";

import { answerCleaner } from "../answer/answer-cleaner.ts";

/** The cleaner of answers, and what it made smaller. */
export interface NotingCleaner {
  readonly cleaner: AnswerCleaner;
  /** Returns whether an entry is an answer with something taken out. */
  readonly hasCleaned: (entry: HistoryEntry) => boolean;
}

/** Makes a cleaner that takes note of what it changed, for the table of calls. */
export function notingCleaner(): NotingCleaner {
  const cleaned = new WeakSet<HistoryEntry>();
  return {
    cleaner: {
      clean: (entries) => {
        const known = new Set(entries);
        const result = answerCleaner.clean(entries);
        for (const entry of result.entries) if (!known.has(entry)) cleaned.add(entry);
        return result;
      },
    },
    hasCleaned: (entry) => cleaned.has(entry),
  };
}
