import type { HistoryView, JsonValue } from "@agent-history/core";
import type { SoundMetadata } from "@agent-history/core/stored-form";

import type { LogRow } from "../decode-rows.ts";
import { versionOf } from "../index-batch.ts";
import { indexRows } from "../index-rows.ts";
import { MAX_OPERATIONS } from "../replace-program.ts";
import { withReplacement, withReplacements } from "../replaced-entries.ts";
import type {
  EntryRow,
  ReferenceRow,
  ReplacedEntry,
  StoredOperation,
  StoredSummary,
} from "../store-program.ts";
import { headOf } from "../thread-head.ts";
import type { JournalChange, JournalEntries, JournalRecord } from "./journal-record.ts";

/** A thread in memory, as a database would keep it in tables: what all changes of its log come to. */
export interface ThreadTables {
  /** Something was written under its name. */
  exists: boolean;
  isDeleted: boolean;
  head: string | undefined;
  /** By position; without a row where a record is lost. */
  readonly rows: (EntryRow | undefined)[];
  readonly ids: Map<string, number>;
  /** What was replaced, by id. */
  readonly replaced: Map<string, readonly ReplacedEntry[]>;
  /** The last replacements, by the id of their operation. */
  readonly operations: Map<string, StoredOperation>;
  readonly facts: Map<string, string>;
  readonly streams: Map<string, ReferenceRow[]>;
  summaries: readonly StoredSummary[];
  readonly views: Map<HistoryView, { readonly state: string; readonly viewRevision: number }>;
  readonly state: Map<string, { readonly value: JsonValue; readonly revision: number }>;
  /** The highest revision of state that was removed. */
  removedRevision: number;
  about: SoundMetadata;
  createdAtMs: number;
  /** When the log last changed. */
  updatedAtMs: number;
}

/** Begins an empty thread. */
export function newTables(): ThreadTables {
  return {
    exists: false,
    isDeleted: false,
    head: undefined,
    rows: [],
    ids: new Map(),
    replaced: new Map(),
    operations: new Map(),
    facts: new Map(),
    streams: new Map(),
    summaries: [],
    views: new Map(),
    state: new Map(),
    removedRevision: 0,
    about: {},
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}

/** Carries a change out. Its writer has checked that it may be. */
export function applyChange(
  tables: ThreadTables,
  { change, atMs }: Pick<JournalRecord, "change" | "atMs">,
): void {
  if (!tables.exists) tables.createdAtMs = atMs;
  const isUpdate = !tables.exists || change.kind === "append" || change.kind === "replace";
  if (isUpdate) tables.updatedAtMs = Math.max(tables.updatedAtMs, atMs);
  tables.exists = true;
  switch (change.kind) {
    case "append":
      addMissing(tables, change.position);
      addRows(tables, rowsOf(change, change.position));
      break;
    case "fork":
      addRows(tables, rowsOf(change, 0));
      tables.summaries = change.overlays;
      tables.about = change.about;
      for (const [view, state] of change.states) tables.views.set(view, { state, viewRevision: 0 });
      break;
    case "replace":
      replaceRows(tables, change);
      break;
    case "view": {
      const { view, viewRevision, state, add, remove } = change;
      const others = tables.summaries.filter(({ id }) => id !== remove);
      tables.summaries = add === undefined ? others : [...others, add];
      tables.views.set(view, { state, viewRevision: viewRevision + 1 });
      break;
    }
    case "state":
      changeState(tables, change);
      break;
    case "metadata":
      tables.about = { ...tables.about, ...change.about };
      break;
    case "delete":
      tables.isDeleted = true;
      break;
  }
}

function changeState(
  tables: ThreadTables,
  { key, value, revision }: Extract<JournalChange, { readonly kind: "state" }>,
): void {
  if (value !== undefined) {
    tables.state.set(key, { value, revision });
    return;
  }
  tables.state.delete(key);
  tables.removedRevision = Math.max(tables.removedRevision, revision);
}

type Replacement = Extract<JournalChange, { readonly kind: "replace" }>;

/** Derives the index of what stays once more, and puts the new entries behind it. */
function replaceRows(tables: ThreadTables, change: Replacement): void {
  const { position, operation, removed, states } = change;
  const { rows, ids, replaced, operations, facts, streams, views } = tables;
  const replacements = withReplacement(headOf(tables.head), position);
  for (const [id, at] of ids) {
    const json = rows[at]?.json;
    if (at < position || json === undefined) continue;
    replaced.set(id, [...(replaced.get(id) ?? []), { nth: replacements.count, json }]);
  }
  const kept = rows.slice(0, position).flatMap((row) => row ?? []);
  rows.length = 0;
  for (const index of [ids, facts, streams]) index.clear();
  tables.head = undefined;
  addRows(tables, kept);
  tables.head = withReplacements(tables.head, replacements);
  addRows(tables, rowsOf(change, position));
  tables.summaries = tables.summaries.filter(({ id }) => !removed.includes(id));
  const known = new Map(states);
  for (const [view, { state, viewRevision }] of views) {
    views.set(view, { state: known.get(view) ?? state, viewRevision: viewRevision + 1 });
  }
  operations.set(operation.id, operation);
  for (const oldest of operations.keys()) {
    if (operations.size <= MAX_OPERATIONS) break;
    operations.delete(oldest);
  }
}

function rowsOf({ entries, tokens }: JournalEntries, first: number): readonly EntryRow[] {
  return entries.map((entry, index) => {
    const counts = tokens?.[index] ?? undefined;
    const row = { position: first + index, json: JSON.stringify(entry) };
    return counts === undefined ? row : { ...row, tokens: counts };
  });
}

/** Positions of records that are lost: they stay, without a row, so that what follows keeps its own. */
function addMissing(tables: ThreadTables, until: number): void {
  const from = versionOf(tables.head);
  addRows(
    tables,
    Array.from({ length: Math.max(0, until - from) }, (_, index) => ({ position: from + index })),
  );
}

function addRows(tables: ThreadTables, rows: readonly LogRow[]): void {
  const { rows: log, ids, facts, streams } = tables;
  for (let start = 0; start < rows.length; start += PAGE) {
    const page = rows.slice(start, start + PAGE);
    const indexed = indexRows(page, { head: tables.head, facts });
    tables.head = indexed.head;
    for (const [key, fact] of indexed.facts) facts.set(key, fact);
    for (const [position, id] of indexed.ids) ids.set(id, position);
    for (const [stream, added] of indexed.references) {
      const known = streams.get(stream) ?? [];
      for (const row of added) known.push(row);
      streams.set(stream, known);
    }
  }
  for (const { position, json, tokens } of rows) {
    if (json === undefined) continue;
    log[position] = tokens === undefined ? { position, json } : { position, json, tokens };
  }
}

const PAGE = 500;
