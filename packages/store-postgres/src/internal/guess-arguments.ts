import type { HistoryQuery } from "@agent-history/core";
import { guessEntries } from "@agent-history/store-kit/indexed";

import { rowKey } from "./row-key.ts";

/** What the function `read` brings beyond what it is asked for. */
export interface Guess {
  readonly [field: string]: string | number | readonly string[];
}

/** Writes guesses at what a query shows as the function takes them. */
export function guessArguments(query: HistoryQuery, originals: boolean): readonly Guess[] {
  const guesses: Guess[] = guessEntries(query).map(({ types, taskOf, stream, ...guess }) => ({
    ...guess,
    stream: rowKey(stream),
    ...(types !== undefined && { types: types.map(rowKey) }),
    ...(taskOf !== undefined && { taskOf: rowKey(taskOf) }),
  }));
  if (originals || query.view === undefined) return guesses;
  return [...guesses, { view: rowKey(query.view) }];
}
