import type { HistoryView, StoredEntryProblem } from "@agent-history/core";
import { sameJson } from "@agent-history/core";

import { answered, fetchRound } from "./fetch-round.ts";
import { deriveStates } from "./fork-program.ts";
import { versionOf } from "./index-batch.ts";
import { pagesOf } from "./pages-of.ts";
import { unpackReferences } from "./reference.ts";
import type { Reference } from "./reference.ts";
import { reindexLog } from "./reindex-log.ts";
import type { DerivedIndex } from "./reindex-log.ts";
import type { ReferenceRow, StoredSummary, StoreProgram } from "./store-program.ts";
import { headOf } from "./thread-head.ts";

/** Derives a thread's index from its log once more, and tells what differs and what cannot be read. Linear, in pages. */
export function* verifyProgram(): StoreProgram<readonly StoredEntryProblem[]> {
  const [threadAnswer, overlaysAnswer] = yield* fetchRound([
    { kind: "thread" },
    { kind: "overlays" },
  ]);
  const { head } = answered("thread", threadAnswer);
  const overlays = answered("summaries", overlaysAnswer).summaries;
  const version = versionOf(head);
  const index = yield* reindexLog(version);
  // What cannot be read has no index to compare with.
  if (index.problems.length > 0) return index.problems;
  return [
    ...(sameHead(head, index.head) ? [] : [differs(version, "The head of the thread")]),
    ...(yield* checkIds(index)),
    ...(yield* checkFacts(index, version)),
    ...(yield* checkStreams(index, version)),
    ...(yield* checkViews(index, overlays, version)),
  ];
}

function* checkIds({ ids }: DerivedIndex): StoreProgram<readonly StoredEntryProblem[]> {
  const problems: StoredEntryProblem[] = [];
  for (const page of pagesOf(ids)) {
    const asked = page.map(([, entryId]) => entryId);
    const [answer] = yield* fetchRound([{ kind: "positions", ids: asked }]);
    const { positions } = answered("positions", answer);
    for (const [position, entryId] of page) {
      if (positions.get(entryId) === position) continue;
      problems.push({ ...differs(position, "The position that is kept for the id"), entryId });
    }
  }
  return problems;
}

function* checkFacts(
  { facts }: DerivedIndex,
  version: number,
): StoreProgram<readonly StoredEntryProblem[]> {
  for (const page of pagesOf(facts)) {
    const [answer] = yield* fetchRound([{ kind: "facts", keys: page.map(([key]) => key) }]);
    const found = answered("facts", answer).facts;
    const isSound = page.every(([key, fact]) => sameText(found.get(key), fact));
    if (!isSound) return [differs(version, "A fact of the thread")];
  }
  return [];
}

function* checkStreams(
  { references }: DerivedIndex,
  version: number,
): StoreProgram<readonly StoredEntryProblem[]> {
  const problems: StoredEntryProblem[] = [];
  for (const [stream, rows] of references) {
    const at = yield* firstDifference(stream, rows, version);
    if (at !== undefined) problems.push(differs(at, "A reference"));
  }
  return problems;
}

/** A row has up to 16 references. */
const REFERENCE_ROWS = 100;

/** Compares a stream with what its log says, from its end; gives the position of the newest that differs. */
function* firstDifference(
  stream: string,
  derived: readonly ReferenceRow[],
  version: number,
): StoreProgram<number | undefined> {
  const expected = newestFirst(derived);
  let before: number | undefined;
  for (;;) {
    const bound = before === undefined ? {} : { before };
    const [answer] = yield* fetchRound([
      { kind: "references", stream, limit: REFERENCE_ROWS, ...bound },
    ]);
    const { rows } = answered("references", answer);
    for (const found of newestFirst(rows.toReversed())) {
      // What is newer than the head came after it was read.
      if (found.position >= version) continue;
      const { value } = expected.next();
      if (value === undefined || !sameJson(found, value)) return found.position;
    }
    before = rows.at(-1)?.key;
    if (rows.length < REFERENCE_ROWS) break;
  }
  return expected.next().value?.position;
}

/** Unpacks rows as they are needed. */
function* newestFirst(rows: readonly ReferenceRow[]): Generator<Reference, undefined> {
  for (let nth = rows.length - 1; nth >= 0; nth -= 1) {
    yield* unpackReferences(rows.slice(nth, nth + 1)).toReversed();
  }
  return undefined;
}

function* checkViews(
  index: DerivedIndex,
  overlays: readonly StoredSummary[],
  version: number,
): StoreProgram<readonly StoredEntryProblem[]> {
  if (overlays.length === 0) return [];
  const positions = new Map([...index.ids].map(([position, id]) => [id, position]));
  const problems: StoredEntryProblem[] = [];
  for (const [view, state] of deriveStates(overlays, index, positions)) {
    const found = yield* readShown(view);
    if (sameJson(found, [state.count, state.runs, state.shown])) continue;
    problems.push(differs(version, "The state of a view"));
  }
  return problems;
}

/** What a state says whatever the version it was worked out for. */
function* readShown(view: HistoryView): StoreProgram<unknown> {
  const [answer] = yield* fetchRound([{ kind: "thread", view }]);
  const { state } = answered("thread", answer);
  if (state === undefined) return undefined;
  const { count, runs, shown } = JSON.parse(state);
  return [count, runs, shown];
}

/** The log does not tell of what was replaced. */
function sameHead(one: string | undefined, derived: string | undefined): boolean {
  const { replaced: _, ...head } = headOf(one);
  return sameJson(head, JSON.parse(JSON.stringify(headOf(derived))));
}

function sameText(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return sameJson(JSON.parse(one), JSON.parse(other));
}

function differs(position: number, what: string): StoredEntryProblem {
  return { position, kind: "broken", reason: `${what} is not what the log says.` };
}
