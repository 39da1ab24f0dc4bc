import type { HistoryQuery } from "@agent-history/core";
import { boundedMap } from "@agent-history/store-kit/indexed";
import type { Answer, EntryRow, Fetch } from "@agent-history/store-kit/indexed";

import { entriesOfLogRow } from "./answer-fetch.ts";
import type { Lookup } from "./answer-fetch.ts";
import { listOf } from "./reply.ts";
import type { ThreadLocation } from "./tree-keys.ts";

/**
 * Where entries stand that reads ended with. Who asks for what came since one of them is brought the rows behind it with the first round trip, and needs no
 * second one. It decides nothing: what it misses is asked for.
 */
export interface ReadEnds {
  readonly see: (threadId: string, id: string, position: number) => void;
  readonly of: (threadId: string, id: string) => number | undefined;
}

/** Begins without any. */
export function readEnds(size: number): ReadEnds {
  const positions = boundedMap<number>(size);
  const keyOf = (threadId: string, id: string): string => JSON.stringify([threadId, id]);
  return {
    see: (threadId, id, position) => positions.set(keyOf(threadId, id), position),
    of: (threadId, id) => positions.get(keyOf(threadId, id)),
  };
}

type AnswerRound = (round: readonly Fetch[]) => Promise<readonly Answer[]>;

/** Answers as before, and notes the highest position of an entry. */
export function notedEnd(answer: AnswerRound): {
  readonly answer: AnswerRound;
  readonly position: () => number | undefined;
} {
  let position: number | undefined;
  const noting: AnswerRound = async (round) => {
    const answers = await answer(round);
    for (const one of answers) {
      const last = one.kind === "entries" ? one.rows.at(-1)?.position : undefined;
      if (last !== undefined) position = Math.max(position ?? 0, last);
    }
    return answers;
  };
  return { answer: noting, position: () => position };
}

/** More rows than a turn most often has. */
const ROWS_AHEAD = 16;

/** Returns whether a query shows all that came since an entry, so that no row behind it is read in vain. */
export function asksAllSince({
  after,
  clauses,
  before,
  maxEntries,
  maxTokens,
}: HistoryQuery): boolean {
  const isOpen = before === undefined && maxEntries === undefined && maxTokens === undefined;
  return after !== undefined && isOpen && clauses.some(isUnset);
}

function isUnset(conditions: object): boolean {
  return Object.values(conditions).every((condition) => condition === undefined);
}

/** Rows of a log that are read before they are asked for. */
export interface RowsAhead {
  /** Goes with each round that looks at the thread, behind all else: a row is never older than what the round found. */
  readonly lookup: Lookup;
  /** Answers what asks for entries that were brought, all of them. */
  readonly answer: (fetch: Fetch) => Answer | undefined;
}

/** Plans to read the rows behind a position. */
export function rowsAhead({ log }: ThreadLocation, position: number): RowsAhead {
  let rows: ReadonlyMap<number, EntryRow> = new Map();
  // A row is named by the position after its last entry.
  const first = String(position + 2);
  return {
    lookup: {
      commands: [["XRANGE", log, first, "+", "COUNT", String(ROWS_AHEAD)]],
      read: ([reply]) => {
        const brought = listOf(reply).flatMap(entriesOfLogRow);
        rows = new Map(brought.map((row) => [row.position, row]));
        return { kind: "entries", rows: brought };
      },
    },
    answer: (fetch) => {
      if (fetch.kind !== "entries") return undefined;
      const found = fetch.positions.flatMap((at) => rows.get(at) ?? []);
      return found.length === fetch.positions.length ? { kind: "entries", rows: found } : undefined;
    },
  };
}
