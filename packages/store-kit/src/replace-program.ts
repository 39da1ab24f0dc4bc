import type { ExpectedVersion, HistoryView } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

import { decodeRows } from "./decode-rows.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { deriveStates, sharedOverlays } from "./fork-program.ts";
import { factKeys, indexBatch } from "./index-batch.ts";
import { factKey } from "./known-facts.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import { readLogPage } from "./read-log.ts";
import { packReferences, unpackReferences } from "./reference.ts";
import { reindexLog } from "./reindex-log.ts";
import type { DerivedIndex } from "./reindex-log.ts";
import { countsOfHead, withReplacement } from "./replaced-entries.ts";
import { requireVersion } from "./require-version.ts";
import type {
  EntryRow,
  ReferenceRow,
  StoredOperation,
  StoredSummary,
  StoreProgram,
} from "./store-program.ts";
import { headOf } from "./thread-head.ts";
import type { ThreadHead } from "./thread-head.ts";

/**
 * What a replacement comes to. To be written in one step, where head and summaries are still `base`; else run the program again.
 */
export interface SuffixChange {
  readonly kind: "change";
  /** What the thread was at when it was worked out. */
  readonly base: {
    readonly head: string | undefined;
    readonly overlays: readonly StoredSummary[];
  };
  /** How many entries stay: rows of the log from here on go, and references with a higher key, in every stream. */
  readonly position: number;
  /** How many entries the thread has afterwards. */
  readonly entryCount: number;
  /** The version afterwards. */
  readonly version: number;
  /** Which replacement of the thread this is, from 1. */
  readonly nth: number;
  readonly head: string;
  /** The id of the last entry afterwards; missing where there is none. */
  readonly lastId: string | undefined;
  /** Facts to write, and (without a value) to remove. */
  readonly facts: ReadonlyMap<string, string | undefined>;
  /** Rows to add to each stream, once those with a key above `position` are gone. */
  readonly references: ReadonlyMap<string, readonly ReferenceRow[]>;
  /** The summaries that go. */
  readonly removed: readonly StoredSummary[];
  /** New states of views. The revision of every view rises by one; that of one without a row is how many replacements there were. */
  readonly states: ReadonlyMap<HistoryView, string>;
  /** The entries that go, oldest first: kept by their ids. */
  readonly replaced: readonly ReplacedRow[];
  /** To keep, of the last {@link MAX_OPERATIONS} replacements. */
  readonly operation: StoredOperation;
}

/** An entry that was replaced. */
export interface ReplacedRow {
  readonly id: string;
  readonly json: string;
}

/** The same operation was carried out before. Nothing to write. */
export interface SuffixKnown {
  readonly kind: "known";
  readonly version: number;
}

/** How many operations are remembered for each thread. */
export const MAX_OPERATIONS = 1000;

/**
 * Checks the replacement of a suffix, and works out what to write. Linear in the log.
 *
 * @param options - `rowEnds` gives for each entry of the batch the position of the last entry of its row, where rows hold several.
 * @throws `HistoryError` with code `NOT_FOUND` where `from` is not in the log, `VERSION_CONFLICT`, `DUPLICATE_ID` where an id belongs to what stays or the
 * operation had another content, `THREAD_CORRUPT` where a row cannot be read.
 */
export function* replaceProgram(options: {
  readonly from: string;
  readonly expectedVersion: ExpectedVersion;
  readonly batch: PreparedBatch;
  readonly operation: { readonly id: string; readonly hash: string };
  readonly rowEnds?: (position: number) => readonly number[];
}): StoreProgram<SuffixChange | SuffixKnown> {
  const { from, batch, operation, rowEnds } = options;
  const ids = batch.entries.map(({ entry }) => entry.id);
  const [threadAnswer, operationAnswer, positionsAnswer, overlaysAnswer] = yield* fetchRound([
    { kind: "thread" },
    { kind: "operation", id: operation.id },
    { kind: "positions", ids: [...new Set([from, ...ids])] },
    { kind: "overlays" },
  ]);
  const base = answered("thread", threadAnswer).head;
  const before = headOf(base);
  const known = answered("operation", operationAnswer).operation;
  if (known !== undefined) return knownOperation(known, operation.hash);
  requireVersion(options.expectedVersion, countsOfHead(before).version);
  const { positions } = answered("positions", positionsAnswer);
  const position = positions.get(from);
  if (position === undefined || position >= before.version) throw notFound(from);
  const { summaries: overlays } = answered("summaries", overlaysAnswer);
  const index = yield* readKept(position);
  const kept = keptOverlays(overlays, index);
  for (const id of ids) {
    const isTaken = (positions.get(id) ?? Infinity) < position || kept.some((one) => one.id === id);
    if (isTaken) throw duplicateId(id);
  }
  const rows = yield* readSuffix(position, before.version);
  const head: ThreadHead = headOf(index.head);
  head.replaced = withReplacement(before, position);
  const written = indexBatch({
    head: JSON.stringify(head),
    facts: index.facts,
    batch,
    ...(rowEnds === undefined ? {} : { rowEnds: rowEnds(position) }),
  });
  const after = headOf(written.head);
  return {
    kind: "change",
    base: { head: base, overlays },
    position,
    entryCount: after.version,
    version: countsOfHead(after).version,
    nth: head.replaced.count,
    head: written.head,
    lastId: ids.at(-1) ?? index.ids.get(position - 1),
    facts: new Map([...restoredFacts(rows, index), ...written.facts]),
    references: joinReferences(yield* cutReferences(index, position), written.references),
    removed: overlays.filter((one) => !kept.includes(one)),
    states: statesAfter(overlays, kept, index),
    replaced: rows.map(({ entry: { id }, json }) => ({ id, json })),
    operation: { ...operation, version: countsOfHead(after).version },
  };
}

function knownOperation({ hash, version, id }: StoredOperation, given: string): SuffixKnown {
  if (hash === given) return { kind: "known", version };
  throw new HistoryError(
    `The operation id ${JSON.stringify(id)} stands for a replacement of another content. Nothing was written.`,
    { code: "DUPLICATE_ID", details: { operationId: id } },
  );
}

function* readKept(position: number): StoreProgram<DerivedIndex> {
  const index = yield* reindexLog(position);
  if (index.problems.length > 0) throw unreadable();
  return index;
}

type SuffixRow = Pick<EntryRow, "json"> & ReturnType<typeof decodeRows>["entries"][number];

function* readSuffix(from: number, to: number): StoreProgram<readonly SuffixRow[]> {
  const all: SuffixRow[] = [];
  for (let start = from; start < to; start += PAGE) {
    const rows = yield* readLogPage(start, Math.min(to, start + PAGE));
    const { entries, problems } = decodeRows(rows);
    if (problems.length > 0) throw unreadable();
    for (const [index, one] of entries.entries()) {
      all.push({ ...one, json: rows[index]?.json ?? "" });
    }
  }
  return all;
}

const PAGE = 500;

/** What entries that go may have changed, as it was without them. */
function restoredFacts(
  rows: readonly SuffixRow[],
  { facts }: DerivedIndex,
): readonly (readonly [key: string, fact: string | undefined])[] {
  const entries = rows.map(({ entry, json }) => ({ entry, json, bytes: 0 }));
  const keys = new Set(factKeys({ entries, bytes: 0 }));
  for (const { entry } of entries) {
    if (entry.type === "user_message") keys.add(factKey.message(entry.id));
  }
  return [...keys].map((key) => [key, facts.get(key)] as const);
}

/** Of the row of each stream that the cut goes through, what stays. */
function* cutReferences(
  { references }: DerivedIndex,
  position: number,
): StoreProgram<ReadonlyMap<string, readonly ReferenceRow[]>> {
  const streams = [...references.keys()];
  const pages = yield* fetchRound(
    streams.map((stream) => ({ kind: "references", stream, before: position + 1, limit: 1 })),
  );
  const cut = streams.map((stream, nth) => {
    const [last] = answered("references", pages[nth]).rows;
    const rows = references.get(stream) ?? [];
    const lastKey = last?.key ?? 0;
    const rest = unpackReferences(rows.filter(({ key }) => key > lastKey));
    return [stream, packReferences(rest.filter((one) => one.position >= lastKey))] as const;
  });
  return new Map(cut.filter(([, rows]) => rows.length > 0));
}

function joinReferences(
  first: ReadonlyMap<string, readonly ReferenceRow[]>,
  second: ReadonlyMap<string, readonly ReferenceRow[]>,
): ReadonlyMap<string, readonly ReferenceRow[]> {
  const streams = new Set([...first.keys(), ...second.keys()]);
  return new Map(
    [...streams].map((one) => [one, [...(first.get(one) ?? []), ...(second.get(one) ?? [])]]),
  );
}

function keptOverlays(
  overlays: readonly StoredSummary[],
  { ids }: DerivedIndex,
): readonly StoredSummary[] {
  return sharedOverlays(overlays, new Map([...ids].map(([at, id]) => [id, at])));
}

function statesAfter(
  overlays: readonly StoredSummary[],
  kept: readonly StoredSummary[],
  index: DerivedIndex,
): ReadonlyMap<HistoryView, string> {
  const positions = new Map([...index.ids].map(([at, id]) => [id, at]));
  const views = new Set(overlays.map(({ view }) => view));
  const states = deriveStates(kept, index, positions, views);
  return new Map([...states].map(([view, state]) => [view, JSON.stringify(state)]));
}

function notFound(entryId: string): HistoryError {
  return new HistoryError("Expected `from` to be the id of an entry of the thread.", {
    code: "NOT_FOUND",
    details: { entryId },
  });
}

function duplicateId(entryId: string): HistoryError {
  return new HistoryError(
    `The entry id ${JSON.stringify(entryId)} belongs to what stays of the thread. Nothing was written.`,
    { code: "DUPLICATE_ID", details: { entryId } },
  );
}

function unreadable(): HistoryError {
  return new HistoryError(
    "Expected every row of the log to be readable. Nothing was written; `verify` says which is not.",
    { code: "THREAD_CORRUPT", details: { reason: "row" } },
  );
}
