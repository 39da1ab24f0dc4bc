import type { ExpectedVersion, HistoryView } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

import { deriveViewState } from "./derive-view-state.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { sharedOverlays } from "./fork-program.ts";
import { indexAt } from "./index-at.ts";
import { factKeys, indexBatch } from "./index-batch.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import { readOutline, summariesOf } from "./read-outline.ts";
import { packReferences, unpackReferences } from "./reference.ts";
import { countsOfHead, withReplacement } from "./replaced-entries.ts";
import { requireVersion } from "./require-version.ts";
import type {
  ReferenceRow,
  StoredOperation,
  StoredSummary,
  StoreProgram,
} from "./store-program.ts";
import { headOf } from "./thread-head.ts";
import type { ThreadHead } from "./thread-head.ts";
import { viewStateOf } from "./view-state.ts";

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
  /** How many entries stay: rows of the log from here on go. */
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
  /** The streams in which rows with a key above `position` go. */
  readonly streams: readonly string[];
  /** Rows to add to each stream then. */
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
 * Checks the replacement of a suffix, and works out what to write. Linear in the suffix; where a summary was committed since, also in the rows of references.
 *
 * @param options - `rowEnds` gives for each entry of the batch the position of the last entry of its row, where rows hold several.
 * @throws `HistoryError` with code `NOT_FOUND` where `from` is not in the log, `VERSION_CONFLICT`, `DUPLICATE_ID` where an id belongs to what stays or the
 * operation had another content, `THREAD_CORRUPT` where a row that goes, or one of the few before it, cannot be read.
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
  const kept = yield* keptOverlays(overlays, position);
  for (const id of ids) {
    const isTaken = (positions.get(id) ?? Infinity) < position || kept.some((one) => one.id === id);
    if (isTaken) throw duplicateId(id);
  }
  const index = yield* indexAt(position, before.version);
  const head: ThreadHead = headOf(index.head);
  head.replaced = withReplacement(before, position);
  const restored = new Map<string, string>();
  for (const [key, fact] of index.facts) if (fact !== undefined) restored.set(key, fact);
  const written = indexBatch({
    head: JSON.stringify(head),
    facts: yield* factsOf(batch, index.facts, restored),
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
    lastId: ids.at(-1) ?? index.lastId,
    facts: new Map([...index.facts, ...written.facts]),
    streams: index.streams,
    references: joinReferences(yield* cutReferences(index.streams, position), written.references),
    removed: overlays.filter((one) => !kept.includes(one)),
    states: yield* statesAfter(overlays, kept, position, index.head),
    replaced: index.suffix.map(({ entry: { id }, json }) => ({ id, json })),
    operation: { ...operation, version: countsOfHead(after).version },
  };
}

/** The facts that a batch needs: those that were restored, and those that nobody has changed. */
function* factsOf(
  batch: PreparedBatch,
  touched: ReadonlyMap<string, string | undefined>,
  restored: ReadonlyMap<string, string>,
): StoreProgram<ReadonlyMap<string, string>> {
  const keys = factKeys(batch).filter((key) => !touched.has(key));
  if (keys.length === 0) return restored;
  const [answer] = yield* fetchRound([{ kind: "facts", keys }]);
  return new Map([...answered("facts", answer).facts, ...restored]);
}

function knownOperation({ hash, version, id }: StoredOperation, given: string): SuffixKnown {
  if (hash === given) return { kind: "known", version };
  throw new HistoryError(
    `The operation id ${JSON.stringify(id)} stands for a replacement of another content. Nothing was written.`,
    { code: "DUPLICATE_ID", details: { operationId: id } },
  );
}

/** Of the row of each stream that the cut goes through, what stays. */
function* cutReferences(
  streams: readonly string[],
  position: number,
): StoreProgram<ReadonlyMap<string, readonly ReferenceRow[]>> {
  const cut = new Map<string, readonly ReferenceRow[]>();
  for (const stream of streams) {
    const row = yield* oldestBehind(stream, position);
    const stays = unpackReferences(row).filter((one) => one.position < position);
    if (stays.length > 0) cut.set(stream, packReferences(stays));
  }
  return cut;
}

/** The oldest row of a stream that goes. */
function* oldestBehind(stream: string, position: number): StoreProgram<readonly ReferenceRow[]> {
  let oldest: readonly ReferenceRow[] = [];
  let before: number | undefined;
  for (;;) {
    const range = { after: position, limit: PAGE, ...(before === undefined ? {} : { before }) };
    const [answer] = yield* fetchRound([{ kind: "references", stream, ...range }]);
    const { rows } = answered("references", answer);
    if (rows.length > 0) oldest = rows.slice(-1);
    before = rows.at(-1)?.key;
    if (rows.length < PAGE) return oldest;
  }
}

const PAGE = 500;

function joinReferences(
  first: ReadonlyMap<string, readonly ReferenceRow[]>,
  second: ReadonlyMap<string, readonly ReferenceRow[]>,
): ReadonlyMap<string, readonly ReferenceRow[]> {
  const streams = new Set([...first.keys(), ...second.keys()]);
  return new Map(
    [...streams].map((one) => [one, [...(first.get(one) ?? []), ...(second.get(one) ?? [])]]),
  );
}

function* keptOverlays(
  overlays: readonly StoredSummary[],
  position: number,
): StoreProgram<readonly StoredSummary[]> {
  if (overlays.length === 0) return [];
  const ids = summariesOf(overlays).flatMap(({ covers = [] }) =>
    covers.flatMap(({ from, to }) => [from, to]),
  );
  const [answer] = yield* fetchRound([{ kind: "positions", ids: [...new Set(ids)] }]);
  const { positions } = answered("positions", answer);
  return sharedOverlays(overlays, new Map([...positions].filter(([, at]) => at < position)));
}

/** States of the views that were worked out with entries that go; those of others say nothing of them. */
function* statesAfter(
  overlays: readonly StoredSummary[],
  kept: readonly StoredSummary[],
  position: number,
  head: string | undefined,
): StoreProgram<ReadonlyMap<HistoryView, string>> {
  const states = new Map<HistoryView, string>();
  for (const view of new Set(overlays.map((one) => one.view))) {
    const [answer] = yield* fetchRound([{ kind: "thread", view }]);
    const state = viewStateOf(answered("thread", answer).state);
    if (state !== undefined && state.version <= position) continue;
    const summaries = summariesOf(kept.filter((one) => one.view === view));
    const outline = yield* readOutline(view, summaries, [], position);
    states.set(view, JSON.stringify(deriveViewState(outline, headOf(head))));
  }
  return states;
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
