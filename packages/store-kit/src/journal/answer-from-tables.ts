import { countsOf } from "../replaced-entries.ts";
import type { Answer, Fetch, ReferenceRow } from "../store-program.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** Looks up what a program asks for. */
export function answerFromTables(tables: ThreadTables, fetch: Fetch): Answer {
  switch (fetch.kind) {
    case "thread": {
      const view = fetch.view === undefined ? undefined : tables.views.get(fetch.view);
      const { state, viewRevision = fetch.view === undefined ? 0 : replacementsOf(tables) } =
        view ?? {};
      return { kind: "thread", head: tables.head, state, viewRevision };
    }
    case "facts":
      return { kind: "facts", facts: found(tables.facts, fetch.keys) };
    case "positions":
      return { kind: "positions", positions: found(tables.ids, fetch.ids) };
    case "references": {
      const { after = 0, before = Infinity, limit } = fetch;
      const rows = tables.streams.get(fetch.stream) ?? [];
      const start = countUntil(rows, after);
      const end = countUntil(rows, before - 1);
      return {
        kind: "references",
        rows: rows.slice(Math.max(start, end - limit), Math.max(start, end)).toReversed(),
      };
    }
    case "entries":
      return { kind: "entries", rows: fetch.positions.flatMap((at) => tables.rows[at] ?? []) };
    case "log": {
      const rows = tables.rows.slice(fetch.from, fetch.to);
      return { kind: "entries", rows: rows.flatMap((row) => row ?? []) };
    }
    case "summaries": {
      const ids = new Set(fetch.ids);
      return { kind: "summaries", summaries: tables.summaries.filter(({ id }) => ids.has(id)) };
    }
    case "overlays": {
      const { view } = fetch;
      const isAsked = (one: { readonly view: string }): boolean =>
        view === undefined || one.view === view;
      return { kind: "summaries", summaries: tables.summaries.filter(isAsked) };
    }
    case "replaced":
      return { kind: "replaced", replaced: found(tables.replaced, fetch.ids) };
    case "operation":
      return { kind: "operation", operation: tables.operations.get(fetch.id) };
  }
}

function replacementsOf({ head }: ThreadTables): number {
  return countsOf(head).replacements;
}

function found<Value>(
  values: ReadonlyMap<string, Value>,
  keys: readonly string[],
): ReadonlyMap<string, Value> {
  const there = new Map<string, Value>();
  for (const key of keys) {
    const value = values.get(key);
    if (value !== undefined) there.set(key, value);
  }
  return there;
}

/** How many rows have a key up to this one. Keys rise. */
function countUntil(rows: readonly ReferenceRow[], key: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((rows[middle]?.key ?? 0) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
