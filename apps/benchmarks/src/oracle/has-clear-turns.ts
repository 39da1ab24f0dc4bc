import type { HistoryReading } from "./read-history.ts";

/** Tells whether every named turn stands in one place: no entry is named after another turn than the one that it stands in. */
export function hasClearTurns({ turns }: Pick<HistoryReading, "turns">): boolean {
  const places = new Map<string, number>();
  return turns.every(({ entries }, nth) =>
    entries.every(({ turnId }) => {
      if (turnId === undefined) return true;
      const place = places.get(turnId) ?? nth;
      places.set(turnId, place);
      return place === nth;
    }),
  );
}
