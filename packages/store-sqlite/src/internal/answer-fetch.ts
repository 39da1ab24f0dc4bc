import type { HistoryView } from "@agent-history/core";
import type { Answer, EntryRow, Fetch, StoredSummary } from "@agent-history/store-kit";
import { keyText, textKey } from "@agent-history/store-kit";

import { numberOf, textOf, textOrNone } from "./sql.ts";
import type { Row, Sql } from "./sql.ts";
import type { ThreadRow } from "./thread-row.ts";

/** Looks up what a program asks for, in one thread. */
export function answerFetch(sql: Sql, thread: ThreadRow | undefined, fetch: Fetch): Answer {
  switch (fetch.kind) {
    case "thread":
      return { kind: "thread", head: thread?.head, ...viewOf(sql, thread, fetch.view) };
    case "facts":
      return { kind: "facts", facts: factsOf(sql, thread, fetch.keys) };
    case "references":
      return { kind: "references", rows: referencesOf(sql, thread, fetch) };
    case "positions":
      return { kind: "positions", positions: positionsOf(sql, thread, fetch.ids) };
    case "entries":
      return { kind: "entries", rows: entriesAt(sql, thread, fetch.positions) };
    case "log":
      return { kind: "entries", rows: logOf(sql, thread, fetch.from, fetch.to) };
    case "summaries":
      return { kind: "summaries", summaries: summariesOf(sql, thread, fetch.ids) };
    case "overlays":
      return { kind: "summaries", summaries: overlaysOf(sql, thread, fetch.view) };
  }
}

function viewOf(
  sql: Sql,
  thread: ThreadRow | undefined,
  view: HistoryView | undefined,
): { readonly state: string | undefined; readonly viewRevision: number } {
  if (thread === undefined || view === undefined) return { state: undefined, viewRevision: 0 };
  const row = sql.get(
    "SELECT state, view_revision FROM views WHERE thread = ? AND view = ?",
    thread.thread,
    textKey(view),
  );
  if (row === undefined) return { state: undefined, viewRevision: 0 };
  return { state: textOf(row, "state"), viewRevision: numberOf(row, "view_revision") };
}

/** Returns the facts of these keys that are there. */
export function factsOf(
  sql: Sql,
  thread: ThreadRow | undefined,
  keys: readonly string[],
): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  if (thread === undefined) return facts;
  for (const key of keys) {
    const row = sql.get(
      "SELECT value FROM facts WHERE thread = ? AND key = ?",
      thread.thread,
      textKey(key),
    );
    if (row !== undefined) facts.set(key, textOf(row, "value"));
  }
  return facts;
}

function referencesOf(
  sql: Sql,
  thread: ThreadRow | undefined,
  range: {
    readonly stream: string;
    readonly after?: number;
    readonly before?: number;
    readonly limit: number;
  },
): readonly { readonly key: number; readonly references: string }[] {
  if (thread === undefined) return [];
  const rows = sql.all(
    "SELECT key, refs FROM refs WHERE thread = ? AND stream = ? AND key > ? AND key < ? ORDER BY key DESC LIMIT ?",
    thread.thread,
    textKey(range.stream),
    range.after ?? -1,
    range.before ?? Number.MAX_SAFE_INTEGER,
    Math.min(range.limit, Number.MAX_SAFE_INTEGER),
  );
  return rows.map((row) => ({ key: numberOf(row, "key"), references: textOf(row, "refs") }));
}

function positionsOf(
  sql: Sql,
  thread: ThreadRow | undefined,
  ids: readonly string[],
): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  for (const id of ids) {
    const row = rowOfEntry(sql, thread, id);
    if (row !== undefined) positions.set(id, numberOf(row, "position"));
  }
  return positions;
}

/** Finds an entry of a thread by id, in its own rows or in those it shares. */
export function rowOfEntry(sql: Sql, thread: ThreadRow | undefined, id: string): Row | undefined {
  const key = textKey(id);
  for (const { thread: owner, to } of thread?.stretches ?? []) {
    const row = sql.get(
      "SELECT position, json FROM entries WHERE thread = ? AND id = ?",
      owner,
      key,
    );
    if (row !== undefined && numberOf(row, "position") < to) return row;
  }
  return undefined;
}

function entriesAt(
  sql: Sql,
  thread: ThreadRow | undefined,
  positions: readonly number[],
): readonly EntryRow[] {
  return positions.flatMap((position) => {
    const stretch = thread?.stretches.find(({ from, to }) => from <= position && position < to);
    if (stretch === undefined) return [];
    const row = sql.get(
      "SELECT position, json, tokens FROM entries WHERE thread = ? AND position = ?",
      stretch.thread,
      position,
    );
    return row === undefined ? [] : entryRow(row);
  });
}

function logOf(
  sql: Sql,
  thread: ThreadRow | undefined,
  from: number,
  to: number,
): readonly EntryRow[] {
  const stretches = thread?.stretches ?? [];
  return stretches
    .toReversed()
    .flatMap((stretch) =>
      sql
        .all(
          "SELECT position, json, tokens FROM entries WHERE thread = ? AND position >= ? AND position < ? ORDER BY position",
          stretch.thread,
          Math.max(from, stretch.from),
          Math.min(to, stretch.to, thread?.version ?? 0),
        )
        .map(entryRow),
    );
}

function entryRow(row: Row): EntryRow {
  const { json } = row;
  const tokens = typeof row["tokens"] === "string" ? row["tokens"] : undefined;
  return {
    position: numberOf(row, "position"),
    // What is no text cannot be read: it is reported with its position, as broken JSON is.
    json: typeof json === "string" ? json : "",
    ...(tokens !== undefined && { tokens }),
  };
}

/** Returns the summaries of these ids that are there, whatever their view. */
export function summariesOf(
  sql: Sql,
  thread: ThreadRow | undefined,
  ids: readonly string[],
): readonly StoredSummary[] {
  if (thread === undefined) return [];
  return ids.flatMap((id) => {
    const row = sql.get(
      "SELECT id, view, json FROM summaries WHERE thread = ? AND id = ?",
      thread.thread,
      textKey(id),
    );
    return row === undefined ? [] : storedSummary(row);
  });
}

function overlaysOf(
  sql: Sql,
  thread: ThreadRow | undefined,
  view: HistoryView | undefined,
): readonly StoredSummary[] {
  if (thread === undefined) return [];
  const rows =
    view === undefined
      ? sql.all("SELECT id, view, json FROM summaries WHERE thread = ? ORDER BY nth", thread.thread)
      : sql.all(
          "SELECT id, view, json FROM summaries WHERE thread = ? AND view = ? ORDER BY nth",
          thread.thread,
          textKey(view),
        );
  return rows.map(storedSummary);
}

function storedSummary(row: Row): StoredSummary {
  return {
    id: keyText(textOf(row, "id")),
    view: asView(keyText(textOf(row, "view"))),
    json: textOrNone(row, "json") ?? "",
  };
}

function asView(text: string): HistoryView {
  if (text === "thread" || text === "conversation") return text;
  return `agent:${text.slice("agent:".length)}`;
}
