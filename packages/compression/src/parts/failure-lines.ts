import { wordsOfText } from "../facts/internal/words-of-text.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import type { WeighedFact } from "../gate/internal/weigh-facts.ts";
import type { SummaryItem, SummaryLine } from "./summary-line.ts";

const STILL_FAILS = 0.5;
const WORTH = 4;

/** What a program writes when it fails; source code and help speak of errors in other ways. */
const FAILURE =
  /(?:^|[\s:[(])(?:error|fatal|panic|fail(?:ed|ure)?)\b\s{0,2}[:\]!]|\b\w{1,40}(?:Error|Exception)\b|^-+ FAIL|^FAIL|not found|no such file|cannot|denied|refused|timed out|エラー|失敗|例外/i;

/** Errors that no success of the same tool followed: the newest first in worth. */
export function failureLines(
  facts: readonly WeighedFact[],
  size: number,
  skipped: ReadonlySet<number>,
): readonly SummaryLine[] {
  const items = facts.flatMap(({ kind, text, weight, entries }): readonly SummaryItem[] => {
    const index = entries.at(-1) ?? 0;
    if (kind !== "error" || weight < STILL_FAILS || skipped.has(index)) return [];
    if (!FAILURE.test(text)) return [];
    const age = (size - index) / Math.max(1, size);
    return [{ text: quoteData(text), says: wordsOfText(text), worth: WORTH * (1 - age), index }];
  });
  return items.map((item) => ({
    part: "failures",
    head: "Failed: ",
    joint: " ",
    end: "",
    items: [item],
  }));
}
