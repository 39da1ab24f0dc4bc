import type { TextCleaner } from "@agent-history/core";

import { fenceCleaner } from "./fence-cleaner.ts";
import { tagCleaner } from "./tag-cleaner.ts";

/** Cuts folded blocks, such as the code that an interpreter ran: `<details>…</details>`. A {@link tagCleaner}. */
export function detailsCleaner(): TextCleaner {
  return tagCleaner({ tag: "details" });
}

/** Cuts suggested questions: `<follow-up-question>…</follow-up-question>`. A {@link tagCleaner}. */
export function followUpQuestionCleaner(): TextCleaner {
  return tagCleaner({ tag: "follow-up-question" });
}

/** Cuts stock tickers and charts: the fenced blocks of language `financialChart`. A {@link fenceCleaner}. */
export function stockChartCleaner(): TextCleaner {
  return fenceCleaner({ language: "financialChart" });
}

/** Cuts the output of sub-agents with its wrapper: `<sub-agent name="…">…</sub-agent>`. A {@link tagCleaner}. */
export function subAgentCleaner(): TextCleaner {
  return tagCleaner({ tag: "sub-agent" });
}
