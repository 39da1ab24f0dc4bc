import type { ChatMessage } from "../messages/chat-message.ts";
import { messageCounter } from "../messages/count-messages.ts";
import type { Dialogue } from "../messages/dialogue.ts";
import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";

/** Orders the messages of a dialogue by how much they help to answer a question, best first. Asked often of one dialogue. */
export interface Ranker {
  readonly name: string;
  open(messages: readonly ChatMessage[]): (question: string) => readonly number[];
}

/** How much of the evidence is left in each window. */
export interface EvidenceFigures {
  readonly ranker: string;
  readonly questions: number;
  /** Mean share of a question's evidence that is kept, by window. */
  readonly shares: Readonly<Record<number, number>>;
}

/** The windows, in tokens; the question is within them. */
const EVIDENCE_WINDOWS: readonly number[] = [1000, 2000, 4000, 8000, 16_000];

/** Asks every question of every dialogue, and keeps the best messages that fit beside it. */
export function evidenceOf(ranker: Ranker, dialogues: readonly Dialogue[]): EvidenceFigures {
  const counter = messageCounter({ remembers: true });
  const sums = new Map(EVIDENCE_WINDOWS.map((window) => [window, 0]));
  let questions = 0;
  for (const { messages, questions: asked } of dialogues) {
    const rank = ranker.open(messages);
    const counts = messages.map(counter.countMessage);
    for (const { question, evidence } of asked) {
      questions += 1;
      const order = rank(question);
      const own = counter.countRequest([{ role: "user", content: question }]);
      for (const window of EVIDENCE_WINDOWS) {
        const kept = keep(order, counts, window - own);
        const share = evidence.filter((index) => kept.has(index)).length / evidence.length;
        sums.set(window, (sums.get(window) ?? 0) + share);
      }
    }
  }
  const shares = Object.fromEntries([...sums].map(([window, sum]) => [window, sum / questions]));
  return { ranker: ranker.name, questions, shares };
}

function keep(
  order: readonly number[],
  counts: readonly number[],
  budget: number,
): ReadonlySet<number> {
  const kept = new Set<number>();
  let left = budget;
  for (const index of order) {
    const count = counts[index] ?? Infinity;
    if (count > left) continue;
    kept.add(index);
    left -= count;
  }
  return kept;
}

/** Draws what was found. */
export function evidenceTable(source: string, figures: readonly EvidenceFigures[]): ResultTable {
  return {
    title: "Evidence: what is left to answer a question about a long dialogue",
    note: `Mean share of the turns that hold the answer, by window in tokens, over ${figures[0]?.questions ?? 0} questions (${source}). No model is asked.`,
    head: ["kept by", ...EVIDENCE_WINDOWS.map((window) => window.toLocaleString("en"))],
    rows: figures.map(({ ranker, shares }) => [
      ranker,
      ...EVIDENCE_WINDOWS.map((window) => percent(shares[window] ?? 0)),
    ]),
    figures,
  };
}
