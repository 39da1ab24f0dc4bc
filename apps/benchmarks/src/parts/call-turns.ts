import type { ChatMessage } from "../messages/chat-message.ts";
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

/** A conversation that goes on turn by turn. */
export interface CallTurns {
  readonly whole: readonly ChatMessage[];
  /** What is added by a turn, from 0. */
  readonly turn: (nth: number) => readonly ChatMessage[];
  readonly repeats: number;
  readonly windowTokens: number;
}

/** Where a row's two halves differ by more than a third, all are run again, this often. */
const MOST_RERUNS = 2;

/** One system on its way. */
interface Runner {
  readonly system: FitSystem;
  readonly conversation: Conversation;
  readonly again: Conversation;
  readonly firstMs: number;
  readonly kept: number[];
  readonly parsedAgain: number[];
}

/** Measures all systems side by side on one conversation: each repeat is one call of each. */
export async function measureTurns(
  systems: readonly FitSystem[],
  { whole: given, turn: turnOf, repeats, windowTokens }: CallTurns,
): Promise<readonly CallFigures[]> {
  const whole = [...given];
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
      const added = turnOf(turn);
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
    messages: given.length,
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
