import type { HistoryReading, Turn } from "./read-history.ts";

/** Tells whether every named turn stands in one place: no entry is named after another turn than the one that it stands in. */
export function hasClearTurns(reading: Pick<HistoryReading, "turns">): boolean {
  const isShared = sharedTurnTest(reading);
  return !reading.turns.some((turn) => isShared(turn));
}

/** Tells of which turns, by their indexes, some entry bears a name that an entry of another bears too: neither tells for certain what belongs to it. */
export function sharedTurnTest({ turns }: Pick<HistoryReading, "turns">): (turn: Turn) => boolean {
  const bearers = new Map<string, Set<Turn>>();
  for (const turn of turns) {
    for (const { turnId } of turn.entries) {
      if (turnId === undefined) continue;
      const known = bearers.get(turnId) ?? new Set();
      bearers.set(turnId, known.add(turn));
    }
  }
  const isBorneTwice = [...bearers.values()].some(({ size }) => size > 1);
  const isNameless = turns.some(({ entries }) =>
    entries.some(({ turnId }) => turnId === undefined),
  );
  return ({ entries }) => {
    // Of which turn an entry without a name is, cannot be told then.
    if (isBorneTwice && isNameless) return true;
    const names = entries.flatMap(({ turnId }) => turnId ?? []);
    // Of two turns that run through each other one may go without the other.
    const isMixed = names.some((name, at) => name !== names[at - 1] && names.indexOf(name) < at);
    return isMixed || names.some((name) => (bearers.get(name)?.size ?? 0) > 1);
  };
}
