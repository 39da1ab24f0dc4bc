import type { ChatMessage } from "../messages/chat-message.ts";
import { longHistory, ordinaryTurn } from "../messages/generate-history.ts";
import { withLongResults } from "../messages/long-results.ts";
import { seededRandom } from "../messages/random.ts";
import type { ResultTable } from "../report/result-table.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import { timingCells } from "../report/timing-cells.ts";
import { agentHistoryCall } from "../systems/agent-history.ts";
import { bareComparison } from "../systems/bare-comparison.ts";

/** What one more turn took with messages that are kept as objects, beside a comparison of each of their fields. */
export interface KeptFigures {
  readonly conversation: string;
  readonly messages: number;
  readonly own: Timing;
  readonly bare: Timing;
  /** How many times as long as the comparison it may take. */
  readonly mostTimes: number;
}

/** How many times as long as the bare comparison. With 10,000 messages that is below 3 ms for a chat, and 7 ms where a turn brings a long result to be counted. */
const KINDS = [
  ["a chat", 2, (messages: readonly ChatMessage[]) => messages],
  ["a chat with results of 20 to 100 kB", 4, withLongResults],
] as const;

/** Measures one more turn of the whole chat handed in, in turns with a comparison of all its messages. */
export async function keptAll(messages: number, repeats: number): Promise<readonly KeptFigures[]> {
  const figures: KeptFigures[] = [];
  for (const [conversation, mostTimes, shaped] of KINDS) {
    const random = seededRandom(3);
    const begun = objects(shaped(longHistory(messages)));
    const kept = agentHistoryCall().open(begun, 8000);
    await kept.fit();
    const compare = bareComparison(begun);
    let turn = messages;
    const one = async (): Promise<number> => {
      const added = objects(shaped(ordinaryTurn(random, (turn += 1))));
      const start = performance.now();
      kept.append(added);
      const fitted = kept.fit();
      if (fitted instanceof Promise) await fitted;
      return performance.now() - start;
    };
    const other = (): number => {
      const start = performance.now();
      if (!compare()) throw new Error("A message was changed.");
      return performance.now() - start;
    };
    const [own, bare] = await takeTurns([one, other], repeats);
    if (own !== undefined && bare !== undefined) {
      figures.push({ conversation, messages, own, bare, mostTimes });
    }
  }
  return figures;
}

/** Objects of their own, which share their texts: 10,000 messages may have 150 MB of them. */
function objects(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.map((message) =>
    message.role === "assistant" && message.tool_calls !== undefined
      ? { ...message, tool_calls: structuredClone(message.tool_calls) }
      : { ...message },
  );
}

/** Draws what was found. */
export function keptTable(figures: readonly KeptFigures[]): ResultTable {
  return {
    title: "Call: one more turn, the messages kept",
    note: "Milliseconds, the fastest run and the median, in turns: the whole chat handed in with the same message objects, at a window of 8,000 tokens. Bare: a comparison of each field of each message with what it was, which is the least that notices a change in place. Times: of the fastest runs.",
    head: [
      "conversation",
      "messages",
      "fastest",
      "median",
      "bare, fastest",
      "bare, median",
      "times",
      "at most",
      "load",
    ],
    rows: figures.map(({ conversation, messages, own, bare, mostTimes }) => [
      conversation,
      messages.toLocaleString("en"),
      ...timingCells(own),
      ...timingCells(bare),
      (own.minMs / bare.minMs).toFixed(1),
      String(mostTimes),
      own.load.toFixed(1),
    ]),
    figures,
  };
}

/** Finds what takes more times as long as a comparison than promised. */
export function brokenKept(figures: readonly KeptFigures[]): readonly string[] {
  return figures
    .filter(({ own, bare, mostTimes }) => own.minMs > mostTimes * bare.minMs)
    .map(
      ({ conversation, own, bare, mostTimes }) =>
        `One more turn of ${conversation}, kept, takes ${(own.minMs / bare.minMs).toFixed(1)} times a comparison, expected at most ${mostTimes}.`,
    );
}
