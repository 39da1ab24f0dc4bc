import type { CompressionStrategy, CompressionTrigger } from "@agent-history/compression";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";

import { summaryTurn } from "./summary-id.ts";

/** Covers what an agent did in its newest turn; nothing where there is nothing that is not covered yet. */
export const workOfTurn: CompressionStrategy = ({ items }) => {
  const turnId = newestTurn(items.flatMap(({ entries }) => entries));
  const covers = items.filter(({ entries: [entry] }) => entry && turnOf(entry) === turnId);
  const isNew = covers.some(
    ({ isEarlierSummary, isCoverable, entries: [entry] }) =>
      !isEarlierSummary && isCoverable && entry?.type !== "task",
  );
  return { strategy: "work-of-turn", spans: isNew ? [{ covers }] : [] };
};

/** Asks a trigger about an agent's newest turn alone: what it did before costs its prompts nothing. */
export function inNewestTurn(
  trigger: CompressionTrigger,
  counter: TokenCounter,
): CompressionTrigger {
  return ({ members, ...situation }) => {
    const turnId = newestTurn(members);
    const own = members.filter((entry) => turnOf(entry) === turnId);
    const tokens = own.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
    return trigger({ ...situation, members: own, tokens });
  };
}

function newestTurn(entries: readonly HistoryEntry[]): string | undefined {
  return entries.findLast(({ turnId }) => turnId !== undefined)?.turnId;
}

function turnOf({ type, id, turnId }: HistoryEntry): string | undefined {
  return type === "summary" ? summaryTurn(id) : turnId;
}
