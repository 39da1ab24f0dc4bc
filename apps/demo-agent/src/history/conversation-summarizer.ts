import { extractiveSummarizer } from "@agent-history/compression";
import type { Summarizer } from "@agent-history/compression";
import type { HistoryEntry } from "@agent-history/core";
import { ASKED, readEvidence } from "@agent-history/offline-model";

import { contentText } from "../prompt/content-text.ts";

const MAX_QUESTION = 160;
/** The share of the cap that is for what was asked and found; the rest is for the words. */
const FINDINGS_SHARE = 0.7;

/**
 * Makes the summarizer of a conversation that needs no model: for each turn what was asked and which places were cited, then what else
 * the extractive summarizer finds worth its tokens.
 */
export function conversationSummarizer(): Summarizer {
  const summarizeRest = extractiveSummarizer();
  return async (request) => {
    const { covered, previous = "", counter, maxTokens } = request;
    const lines = [...findingsOf(previous), ...covered.flatMap(findingsIn)];
    const findings = withinTokens(lines, FINDINGS_SHARE * maxTokens, counter.countText);
    const left = maxTokens - counter.countText(findings) - 1;
    const rest = await summarizeRest({
      ...request,
      covered: covered.filter(({ type }) => type !== "user_message"),
      previous: withoutFindings(previous),
      maxTokens: Math.max(0, left),
    });
    return rest === "" ? findings : `${findings}\n${rest}`;
  };
}

function findingsIn(entry: HistoryEntry): readonly string[] {
  if (entry.type === "user_message") {
    const question = contentText(entry.content).replace(/\s+/g, " ").trim();
    return [`${ASKED}${Array.from(question).slice(0, MAX_QUESTION).join("")}`];
  }
  if (entry.type !== "assistant_message") return [];
  return contentText(entry.content).split("\n").filter(isFinding);
}

/** A line that says where something stands, or what was asked. */
function isFinding(line: string): boolean {
  return line.startsWith(ASKED) || readEvidence(line).length > 0;
}

function findingsOf(summary: string): readonly string[] {
  return summary.split("\n").filter(isFinding);
}

function withoutFindings(summary: string): string {
  return summary
    .split("\n")
    .filter((line) => !isFinding(line))
    .join("\n");
}

/** Leaves out further places of the newest turns first, then whole turns, the oldest first. */
function withinTokens(
  lines: readonly string[],
  maxTokens: number,
  countText: (text: string) => number,
): string {
  let kept = lines;
  while (kept.length > 0 && countText(kept.join("\n")) > maxTokens) {
    const further = kept.findLastIndex(
      (line, index) => isLocation(line) && isLocation(kept[index - 1] ?? ASKED),
    );
    kept = further < 0 ? kept.slice(1) : kept.toSpliced(further, 1);
  }
  return kept.join("\n");
}

function isLocation(line: string): boolean {
  return !line.startsWith(ASKED);
}
