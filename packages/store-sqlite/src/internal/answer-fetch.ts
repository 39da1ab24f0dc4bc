import type { HistoryView } from "@agent-history/core";
import type {
  Answer,
  EntryRow,
  Fetch,
  ReplacedEntry,
  StoredOperation,
  StoredSummary,
} from "@agent-history/store-kit";
import { keyText, textKey } from "@agent-history/store-kit";

import { entryChecksum, summaryChecksum } from "./checksum.ts";
import { readReferences } from "./reference-rows.ts";
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
      return thread === undefined
        ? { kind: "references", rows: [] }
        : readReferences(sql, thread.thread, fetch);
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
    case "replaced":
      return { kind: "replaced", replaced: replacedOf(sql, thread, fetch.ids) };
    case "operation":
      return { kind: "operation", operation: operationOf(sql, thread, fetch.id) };
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
  if (row === undefined) return { state: undefined, viewRevision: thread.replacements };
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
      "SELECT position, json, tokens, sum FROM entries WHERE thread = ? AND id = ?",
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
      "SELECT position, json, tokens, sum FROM entries WHERE thread = ? AND position = ?",
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
          "SELECT position, json, tokens, sum FROM entries WHERE thread = ? AND position >= ? AND position < ? ORDER BY position",
          stretch.thread,
          Math.max(from, stretch.from),
          Math.min(to, stretch.to, thread?.entryCount ?? 0),
        )
        .map(entryRow),
    );
}

function entryRow(row: Row): EntryRow {
  const tokens = typeof row["tokens"] === "string" ? row["tokens"] : undefined;
  return {
    position: numberOf(row, "position"),
    json: soundJson(row),
    ...(tokens !== undefined && { tokens }),
  };
}

/** The text of an entry; empty where the row is not what was written: it is reported with its position, as broken JSON is. */
export function soundJson(row: Row): string {
  const { json, tokens } = row;
  if (typeof json !== "string" || (typeof tokens !== "string" && tokens !== null)) return "";
  return entryChecksum(numberOf(row, "position"), json, tokens) === row["sum"] ? json : "";
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
      "SELECT id, view, json, sum FROM summaries WHERE thread = ? AND id = ?",
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
      ? sql.all(
          "SELECT id, view, json, sum FROM summaries WHERE thread = ? ORDER BY nth",
          thread.thread,
        )
      : sql.all(
          "SELECT id, view, json, sum FROM summaries WHERE thread = ? AND view = ? ORDER BY nth",
          thread.thread,
          textKey(view),
        );
  return rows.map(storedSummary);
}

function storedSummary(row: Row): StoredSummary {
  const id = textOf(row, "id");
  const view = textOf(row, "view");
  const json = textOrNone(row, "json") ?? "";
  const isSound = summaryChecksum(id, view, json) === row["sum"];
  return { id: keyText(id), view: asView(keyText(view)), json: isSound ? json : "" };
}

/** Returns what stood under these ids and was replaced. */
export function replacedOf(
  sql: Sql,
  thread: ThreadRow | undefined,
  ids: readonly string[],
): ReadonlyMap<string, readonly ReplacedEntry[]> {
  const replaced = new Map<string, readonly ReplacedEntry[]>();
  if (thread === undefined || thread.replacements === 0) return replaced;
  for (const id of ids) {
    const rows = sql.all(
      "SELECT nth, json FROM replaced WHERE thread = ? AND id = ? ORDER BY nth",
      thread.thread,
      textKey(id),
    );
    const earlier = rows.map((row) => ({ nth: numberOf(row, "nth"), json: textOf(row, "json") }));
    if (earlier.length > 0) replaced.set(id, earlier);
  }
  return replaced;
}

function operationOf(
  sql: Sql,
  thread: ThreadRow | undefined,
  id: string,
): StoredOperation | undefined {
  if (thread === undefined) return undefined;
  const row = sql.get(
    "SELECT hash, version FROM operations WHERE thread = ? AND id = ?",
    thread.thread,
    textKey(id),
  );
  if (row === undefined) return undefined;
  return { id, hash: textOf(row, "hash"), version: numberOf(row, "version") };
}

function asView(text: string): HistoryView {
  if (text === "thread" || text === "conversation") return text;
  return `agent:${text.slice("agent:".length)}`;
}
