import { assistantMessage, isHistoryError, userMessage } from "@agent-history/core";
import type { Compaction, HistoryEntry } from "@agent-history/core";

import { compressHistory } from "../src/compress-history.ts";
import type { CompressOptions } from "../src/compress-options.ts";
import { coverageOf } from "../src/internal/view-items.ts";
import { goodModel } from "./model-zoo.ts";
import { counter, sleep } from "./quarter-counter.ts";

/** So many questions and answers of 50 tokens each, and a last question. */
export function chat(turns: number, from = 1): readonly HistoryEntry[] {
  const numbers = Array.from({ length: turns }, (_, index) => from + index);
  return [
    ...numbers.flatMap((turn) => [
      userMessage({ id: `u${turn}`, createdAtMs: turn, content: sized(`Question ${turn}.`) }),
      assistantMessage({ id: `a${turn}`, createdAtMs: turn, content: sized(`Answer ${turn}.`) }),
    ]),
    userMessage({ id: `u${from + turns}`, createdAtMs: from + turns, content: "And now?" }),
  ];
}

function sized(text: string): string {
  return text.padEnd(188, " word");
}

export const options: CompressOptions = {
  counter,
  sleep,
  model: goodModel,
  tailTokens: 0,
  newId: () => "s1",
  now: () => 0,
};

/** The ids that each summary covers, or the outcome where there is none. */
export async function coveredIds(
  entries: readonly HistoryEntry[],
  more: Partial<CompressOptions>,
): Promise<readonly string[] | string> {
  const result = await compressHistory(entries, { ...options, ...more });
  if (result.outcome !== "compressed") return result.outcome;
  return result.compactions.map((compaction) => idsOf(entries, compaction));
}

function idsOf(entries: readonly HistoryEntry[], { summary }: Compaction): string {
  return (coverageOf(entries, summary.view)(summary) ?? []).map(({ id }) => id).join(" ");
}

/** The code of what some work rejects or throws with. */
export async function codeOf(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return isHistoryError(error) ? error.code : "unknown";
  }
}
