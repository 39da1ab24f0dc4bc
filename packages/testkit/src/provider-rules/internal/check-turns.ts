import { addDoubled } from "./collect-problems.ts";
import type { Problems } from "./collect-problems.ts";

/** A message of a provider whose tool results stand in a user's message, as far as its rules look at it. */
export interface TurnMessage {
  readonly index: number;
  readonly role: string;
  /** The ids of the calls it makes. */
  readonly calls: readonly string[];
  /** The ids of the calls whose results it brings. */
  readonly results: readonly string[];
}

/** Each call is answered in the next message only, and each result answers a call of the message before. */
export function checkTurns(turns: readonly TurnMessage[], problems: Problems): void {
  const { add } = problems;
  for (const [entryIndex, { index, calls, results }] of turns.entries()) {
    const asked = turns[entryIndex - 1]?.calls ?? [];
    const answered = turns[entryIndex + 1]?.results ?? [];
    if (results.some((id) => !asked.includes(id))) add("orphan-result", index);
    if (calls.some((id) => !answered.includes(id))) add("unanswered-call", index);
    addDoubled(calls, index, problems);
    addDoubled(results, index, problems);
  }
}

/** The first and the last message are a user's. */
export function checkEnds(turns: readonly TurnMessage[], { add }: Problems): void {
  const [first, last] = [turns[0], turns.at(-1)];
  if (first !== undefined && first.role !== "user") add("first-not-user", first.index);
  if (last !== undefined && last.role !== "user") add("last-not-user", last.index);
}

/** No role stands twice in a row. */
export function checkAlternation(turns: readonly TurnMessage[], { add }: Problems): void {
  for (const [entryIndex, { role, index }] of turns.entries()) {
    if (turns[entryIndex - 1]?.role === role) add("not-alternating", index);
  }
}

/** Neighbors of one role as one message, as providers read them that do not demand alternation. */
export function joinTurns(turns: readonly TurnMessage[]): readonly TurnMessage[] {
  const joined: TurnMessage[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role !== turn.role) joined.push(turn);
    else {
      const calls = [...last.calls, ...turn.calls];
      joined.splice(-1, 1, { ...last, calls, results: [...last.results, ...turn.results] });
    }
  }
  return joined;
}
