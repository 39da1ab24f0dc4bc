import type { HistoryEntry } from "@agent-history/core";

/** Neighbors in their agent's own order: one entry, or an action and its observations. */
export type Unit = readonly HistoryEntry[];

/** An entry in the log, and the unit it belongs to. */
export interface Located {
  readonly entry: HistoryEntry;
  readonly unit: Unit;
}

/**
 * Merges lanes into one log. Each lane keeps its order, and between an action and its observations stands nothing of
 * the same agent (entries without an agent count as one agent's).
 *
 * @param order - Whose turn it is to write, counted among the lanes that may; used in rotation. Empty: one lane after
 * the other.
 */
export function interleave(
  lanes: readonly (readonly Unit[])[],
  order: readonly number[],
): readonly Located[] {
  const queues = lanes.map((units) =>
    units.flatMap((unit) => unit.map((entry) => ({ entry, unit }))),
  );
  const next = queues.map(() => 0);
  const open = new Map<string | undefined, Unit>();
  const log: Located[] = [];
  const total = queues.reduce((sum, queue) => sum + queue.length, 0);
  while (log.length < total) {
    // A lane inside an exchange may always go on, so that one of them can.
    const ready = queues.flatMap((queue, lane) => {
      const placed = queue[next[lane] ?? 0];
      return placed !== undefined && mayWrite(placed, open) ? [{ lane, placed }] : [];
    });
    const turn = order[log.length % order.length] ?? 0;
    const chosen = ready[turn % ready.length];
    if (chosen === undefined) break;
    const { lane, placed } = chosen;
    next[lane] = (next[lane] ?? 0) + 1;
    log.push(placed);
    if (placed.entry === placed.unit.at(-1)) open.delete(placed.entry.agent?.id);
    else open.set(placed.entry.agent?.id, placed.unit);
  }
  return log;
}

function mayWrite({ entry, unit }: Located, open: ReadonlyMap<string | undefined, Unit>): boolean {
  const writing = open.get(entry.agent?.id);
  return writing === undefined || writing === unit;
}
