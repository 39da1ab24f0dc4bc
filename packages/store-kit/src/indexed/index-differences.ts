import type { HistoryView, StoredEntryProblem } from "@agent-history/core";
import { agentView, sameJson } from "@agent-history/core";

import { answered, fetchRound } from "./fetch-round.ts";
import { pagesOf } from "./pages-of.ts";
import { unpackReferences } from "./reference.ts";
import type { Reference } from "./reference.ts";
import type { DerivedIndex } from "./reindex-log.ts";
import type { ReferenceRow, StoreProgram } from "./store-program.ts";
import { headOf } from "./thread-head.ts";
import type { ViewState } from "./view-state.ts";

/** Where the index that is stored is another than the one that its log and its summaries say. */
export interface IndexDifferences {
  /** What `verify` says of them. */
  readonly problems: readonly StoredEntryProblem[];
  /** Keys of facts. */
  readonly facts: readonly string[];
  readonly streams: readonly string[];
  readonly views: readonly HistoryView[];
}

/** What is worked out from log and summaries. */
interface Derived {
  readonly version: number;
  readonly index: DerivedIndex;
  readonly states: ReadonlyMap<HistoryView, ViewState>;
}

/** The states of views that are stored, as text. */
export type StoredStates = ReadonlyMap<HistoryView, string>;

/** Reads the states of the views that a log may have. */
export function* readStates({ references }: DerivedIndex): StoreProgram<StoredStates> {
  const ofAgents = [...references.keys()].filter(isAgentView);
  const states = new Map<HistoryView, string>();
  for (const page of pagesOf<HistoryView>(["thread", "conversation", ...ofAgents])) {
    const answers = yield* fetchRound(page.map((view) => ({ kind: "thread", view })));
    for (const [nth, view] of page.entries()) {
      const { state } = answered("thread", answers[nth]);
      if (state !== undefined) states.set(view, state);
    }
  }
  return states;
}

/** The stream of an agent has the name of its view. */
function isAgentView(stream: string): stream is `agent:${string}` {
  return stream.startsWith(agentView(""));
}

/** Compares an index that was derived with the one that is stored. Linear, in pages. */
export function* compareIndex(
  stored: { readonly head: string | undefined; readonly states: StoredStates },
  { version, index, states }: Derived,
): StoreProgram<IndexDifferences> {
  const problems = [...(yield* compareIds(index))];
  if (!sameHead(stored.head, index.head))
    problems.unshift(differs(version, "The head of the thread"));
  const facts = yield* compareFacts(index);
  if (facts.length > 0) problems.push(differs(version, "A fact of the thread"));
  const streams: string[] = [];
  for (const [stream, rows] of index.references) {
    const at = yield* firstDifference(stream, rows, version);
    if (at === undefined) continue;
    streams.push(stream);
    problems.push(differs(at, "A reference"));
  }
  const views: HistoryView[] = [];
  for (const [view, state] of states) {
    const found = shownBy(stored.states.get(view));
    if (sameJson(found, [state.count, state.runs, state.shown])) continue;
    views.push(view);
    problems.push(differs(version, "The state of a view"));
  }
  return { problems, facts, streams, views };
}

function* compareIds({ ids }: DerivedIndex): StoreProgram<readonly StoredEntryProblem[]> {
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

function* compareFacts({ facts }: DerivedIndex): StoreProgram<readonly string[]> {
  const different: string[] = [];
  for (const page of pagesOf(facts)) {
    const [answer] = yield* fetchRound([{ kind: "facts", keys: page.map(([key]) => key) }]);
    const found = answered("facts", answer).facts;
    for (const [key, fact] of page) {
      if (!sameJson(parsed(found.get(key)), parsed(fact))) different.push(key);
    }
  }
  return different;
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
    const { rows, isMissing = false } = answered("references", answer);
    if (isMissing) return rows.at(-1)?.key ?? 0;
    for (const row of rows) {
      const found = referencesOf(row);
      // What is newer than the head came after it was read.
      const seen = found?.filter(({ position }) => position < version).toReversed();
      const different = seen?.find((one) => !sameJson(one, expected.next().value));
      if (seen === undefined || different !== undefined) return different?.position ?? row.key - 1;
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

/** Unpacks a stored row; nothing where it is none. */
function referencesOf(row: ReferenceRow): readonly Reference[] | undefined {
  try {
    return unpackReferences([row]);
  } catch {
    return undefined;
  }
}

/** What a state says whatever the version it was worked out for. */
function shownBy(text: string | undefined): unknown {
  const state = parsed(text);
  if (typeof state !== "object" || state === null) return undefined;
  return ["count", "runs", "shown"].map((name): unknown => Reflect.get(state, name));
}

/** The log does not tell of what was replaced. */
function sameHead(one: string | undefined, derived: string | undefined): boolean {
  const { replaced: _, ...head } = headOf(one);
  return sameJson(head, JSON.parse(JSON.stringify(headOf(derived))));
}

/** Parses what is stored; nothing where it is no JSON. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function differs(position: number, what: string): StoredEntryProblem {
  return { position, kind: "broken", reason: `${what} is not what the log says.` };
}
