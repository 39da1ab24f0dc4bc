import type { ChatMessage } from "../messages/chat-message.ts";
import { longHistory, ordinaryTurn } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import type { ResultTable } from "../report/result-table.ts";
import type { FitSystem } from "../systems/fit-system.ts";
import { measureTurns } from "./call-turns.ts";
import type { CallFigures } from "./call-turns.ts";
import { turnsTable } from "./turns-table.ts";

/** What is measured, and how often. */
export interface CallRequest {
  readonly sizes: readonly number[];
  readonly repeats: number;
  readonly windowTokens: number;
}

/** What would take longer than this for a call, guessed by the power of one and a half, is not tried on the next longer conversation. */
const LONGEST_CALL_MS = 10_000;

/** Measures all systems side by side: each repeat is one call of each. */
export async function measureCalls(
  systems: readonly FitSystem[],
  { sizes, ...request }: CallRequest,
): Promise<readonly CallFigures[]> {
  const all: CallFigures[] = [];
  let left = systems;
  for (const [index, messages] of sizes.entries()) {
    const random = seededRandom(3);
    const turn = (nth: number): readonly ChatMessage[] => ordinaryTurn(random, messages + nth);
    const found = await measureTurns(left, { whole: longHistory(messages), turn, ...request });
    const rows = found.map((row) => ({ ...row, messages }));
    all.push(...rows);
    const growth = ((sizes[index + 1] ?? messages) / messages) ** 1.5;
    const isQuick = ({ name }: FitSystem): boolean =>
      rows.some(
        ({ system, parsedAgain }) =>
          system === name && parsedAgain.medianMs * growth < LONGEST_CALL_MS,
      );
    left = left.filter(isQuick);
  }
  return all;
}

/** Draws what was found, smallest conversation first. */
export function callTable(rows: readonly CallFigures[]): ResultTable {
  return turnsTable(rows, {
    title: "Call: messages in, messages out, one more turn at a window of 8,000 tokens",
    note: "Milliseconds, the fastest run and the median; the systems take turns, and go on where the two halves of a row differ by more than a third (unsteady: they still do). First: the first call, nothing read or counted. Kept: the messages before are the same objects, in a system's own types. Parsed again: the whole conversation comes as new objects, as in a web handler, and is converted to a system's own types; parsing is outside the figure. A peer that forgets its counts with its messages counts them again. The bare walk keeps no law and converts nothing.",
    conversation: { messages: ({ messages }) => messages.toLocaleString("en") },
  });
}

const OWN = "agent-history";
const LONG = 100_000;

/** What is promised: a call is quicker than every peer's, messages that are handed in again cost a fifth of the first time, and time is linear. */
export function brokenCalls(rows: readonly CallFigures[]): readonly string[] {
  const isPeer = ({ system }: CallFigures): boolean => /^(?:trimMessages|Mastra)/.test(system);
  const calls = rows.flatMap(({ system, messages, firstMs, kept }) => {
    const at = `at ${messages.toLocaleString("en")} messages`;
    if (system !== OWN) return [];
    const quicker = rows.filter(
      (row) => isPeer(row) && row.messages === messages && row.kept.minMs < kept.minMs,
    );
    const slower = quicker.map((peer) => `A call is slower than ${peer.system} ${at}.`);
    const isDear = kept.minMs * 5 > firstMs;
    return isDear
      ? [...slower, `A call with kept messages costs more than a fifth of the first ${at}.`]
      : slower;
  });
  return [...calls, ...brokenGrowth(rows)];
}

/** Ten times the messages may take so many times as long: a conversation of 100,000 has left the processor's caches. */
const MOST_GROWTH = 20;

function brokenGrowth(rows: readonly CallFigures[]): readonly string[] {
  const at = (count: number): CallFigures | undefined =>
    rows.find(({ system, messages }) => system === OWN && messages === count);
  const [short, long] = [at(LONG / 10), at(LONG)];
  if (short === undefined || long === undefined) return [];
  const ways = [
    ["kept", long.kept.minMs / short.kept.minMs],
    ["parsed again", long.parsedAgain.minMs / short.parsedAgain.minMs],
  ] as const;
  return ways
    .filter(([, times]) => times > MOST_GROWTH)
    .map(([way, times]) => `100,000 messages, ${way}, take ${times.toFixed(1)} times 10,000.`);
}
