import type { ChatMessage } from "../messages/chat-message.ts";
import { longHistory, ordinaryTurn } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import type { ResultTable } from "../report/result-table.ts";
import { milliseconds } from "../report/statistics.ts";
import { differs, timingOf } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import type { Conversation, FitSystem } from "../systems/fit-system.ts";

/** What one system took from messages in to messages out, in milliseconds. */
export interface CallFigures {
  readonly system: string;
  readonly messages: number;
  readonly firstMs: number;
  /** One more turn, the messages before being the same objects. */
  readonly kept: Timing;
  /** One more turn, all messages parsed again. Parsing is outside the figure. */
  readonly parsedAgain: Timing;
}

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
    const rows = await measureSize(left, { messages, ...request });
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

/** Where a row's two halves differ by more than a third, all are run again, this often. */
const MOST_RERUNS = 2;

interface SizeRequest extends Omit<CallRequest, "sizes"> {
  readonly messages: number;
}

/** One system on its way. */
interface Runner {
  readonly system: FitSystem;
  readonly conversation: Conversation;
  readonly again: Conversation;
  readonly firstMs: number;
  readonly kept: number[];
  readonly parsedAgain: number[];
}

async function measureSize(
  systems: readonly FitSystem[],
  { messages, repeats, windowTokens }: SizeRequest,
): Promise<readonly CallFigures[]> {
  const random = seededRandom(3);
  const whole = [...longHistory(messages)];
  const runners: Runner[] = [];
  for (const system of systems) {
    const conversation = system.open(copied(whole), windowTokens);
    const firstMs = await timed(() => conversation.fit());
    const again = system.open(copied(whole), windowTokens);
    await again.fit();
    runners.push({ system, conversation, again, firstMs, kept: [], parsedAgain: [] });
  }
  const takeTurns = async (from: number): Promise<void> => {
    for (const runner of runners) runner.kept.length = runner.parsedAgain.length = 0;
    for (let turn = from; turn < from + repeats; turn++) {
      const added = ordinaryTurn(random, messages + turn);
      whole.push(...added);
      // Nobody is always first.
      for (const runner of turn % 2 === 0 ? runners : runners.toReversed()) {
        await callOnce(runner, { added, whole, windowTokens });
      }
    }
  };
  await takeTurns(0);
  // The conversation is the same for all, so that all go on by as many turns.
  for (let rerun = 1; rerun <= MOST_RERUNS && runners.some(isUnsteady); rerun++) {
    await takeTurns(rerun * repeats);
  }
  return runners.map(({ system, firstMs, kept, parsedAgain }) => ({
    system: system.name,
    messages,
    firstMs,
    kept: timingOf(kept),
    parsedAgain: timingOf(parsedAgain),
  }));
}

async function callOnce(
  { system, conversation, again, kept, parsedAgain }: Runner,
  given: {
    readonly added: readonly ChatMessage[];
    readonly whole: readonly ChatMessage[];
    readonly windowTokens: number;
  },
): Promise<void> {
  const added = copied(given.added);
  kept.push(
    await timed(() => {
      conversation.append(added);
      return conversation.fit();
    }),
  );
  const parsed = copied(given.whole);
  parsedAgain.push(
    await timed(() => {
      if (again.handIn === undefined) return system.open(parsed, given.windowTokens).fit();
      again.handIn(parsed);
      return again.fit();
    }),
  );
}

function copied(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const parsed: readonly ChatMessage[] = JSON.parse(JSON.stringify(messages));
  return parsed;
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  const done = work();
  // Nothing is waited for that need not be: a microtask would be counted too.
  if (done instanceof Promise) await done;
  return performance.now() - start;
}

function isUnsteady({ kept, parsedAgain }: Runner): boolean {
  return differs(kept) || differs(parsedAgain);
}

/** Draws what was found, smallest conversation first. */
export function callTable(rows: readonly CallFigures[]): ResultTable {
  const cells = ({ minMs, medianMs, isUnsteady: isShaky }: Timing): readonly string[] => [
    milliseconds(minMs),
    `${milliseconds(medianMs)}${isShaky ? " (unsteady)" : ""}`,
  ];
  return {
    title: "Call: messages in, messages out, one more turn at a window of 8,000 tokens",
    note: "Milliseconds, the fastest run and the median; the systems take turns, and go on where the two halves of a row differ by more than a third (unsteady: they still do). First: the first call, nothing read or counted. Kept: the messages before are the same objects, in a system's own types. Parsed again: the whole conversation comes as new objects, as in a web handler, and is converted to a system's own types; parsing is outside the figure. A peer that forgets its counts with its messages counts them again. The bare walk keeps no law and converts nothing.",
    head: [
      "messages",
      "system",
      "first",
      "kept, fastest",
      "kept, median",
      "parsed again, fastest",
      "parsed again, median",
      "load",
    ],
    rows: rows.map(({ messages, system, firstMs, kept, parsedAgain }) => [
      messages.toLocaleString("en"),
      system,
      milliseconds(firstMs),
      ...cells(kept),
      ...cells(parsedAgain),
      parsedAgain.load.toFixed(1),
    ]),
    figures: rows,
  };
}

/** What is promised: a log is quicker than every peer, and messages that are handed in again cost a fifth of the first time. */
export function brokenCalls(rows: readonly CallFigures[]): readonly string[] {
  const isPeer = ({ system }: CallFigures): boolean => /^(?:trimMessages|Mastra)/.test(system);
  return rows.flatMap(({ system, messages, firstMs, kept }) => {
    const at = `at ${messages.toLocaleString("en")} messages`;
    if (system === "agent-history, chatLog") {
      const quicker = rows.filter(
        (row) => isPeer(row) && row.messages === messages && row.kept.minMs < kept.minMs,
      );
      return quicker.map((peer) => `A call with a log is slower than ${peer.system} ${at}.`);
    }
    const isDear = system === "agent-history, the chat handed in" && kept.minMs * 5 > firstMs;
    return isDear ? [`A call with kept messages costs more than a fifth of the first ${at}.`] : [];
  });
}
