import type { TextCleaner } from "@agent-history/core";

import { fenceCleaner } from "./fence-cleaner.ts";

/** Cuts stock tickers and charts: the fenced blocks of language `financialChart`. A {@link fenceCleaner}. */
export function stockChartCleaner(): TextCleaner {
  return fenceCleaner({ language: "financialChart" });
}
