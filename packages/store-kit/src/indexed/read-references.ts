import type { HistoryQuery } from "@agent-history/core";
import { agentView } from "@agent-history/core";

import { evaluateReferences } from "./evaluate-references.ts";
import type { Selection } from "./evaluate-references.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { indexRange } from "./index-range.ts";
import { eachInSteps } from "./pauses.ts";
import type { ReadPlan } from "./plan-read.ts";
import type { Evidence } from "./reference-facts.ts";
import type { Reference } from "./reference.ts";
import { countsOfHead } from "./replaced-entries.ts";
import type { ThreadCounts } from "./replaced-entries.ts";
import { resolveQuery } from "./resolve-query.ts";
import type { ResolvedQuery } from "./resolve-query.ts";
import type { StoreProgram } from "./store-program.ts";
import { streamReader } from "./stream-reader.ts";
import type { StreamReader } from "./stream-reader.ts";
import { streamName } from "./streams-of.ts";
import { headOf } from "./thread-head.ts";
import { viewStateOf } from "./view-state.ts";
import type { ShownSummary } from "./view-state.ts";

/** What references say of a query. */
export type FoundReferences =
  | { readonly kind: "unsure"; readonly reason: string }
  /** What was read is of several moments: read again. */
  | { readonly kind: "torn" }
  | FoundEntries;

/** Which entries and summaries a query shows. */
export interface FoundEntries {
  readonly kind: "found";
  readonly counts: ThreadCounts;
  readonly viewRevision: number;
  readonly selection: Selection;
  /** What was read of the entries, by position. */
  readonly references: ReadonlyMap<number, Reference>;
  readonly summaries: readonly ShownSummary[];
}

/** Reads as much of the streams as a query needs, and evaluates it. */
export function* readReferences(
  query: HistoryQuery,
  plan: ReadPlan,
  originals: boolean,
): StoreProgram<FoundReferences> {
  let version = 0;
  const { view, after } = query;
  const first = asksOnlySince(query, plan) ? "since" : "newest";
  const readers = readersOf(plan, query).map((stream) =>
    streamReader(stream, () => version, first),
  );
  const bounds = [after, query.before].filter((id) => id !== undefined);
  const ids = [...new Set([...bounds, ...query.clauses.flatMap(({ ids: named = [] }) => named)])];
  const [threadAnswer, factsAnswer, positionsAnswer, ...pages] = yield* fetchRound([
    { kind: "thread", ...(view === undefined ? {} : { view }) },
    { kind: "facts", keys: plan.factKeys },
    { kind: "positions", ids },
    ...readers.map((reader) => reader.fetch()),
  ]);
  const thread = answered("thread", threadAnswer);
  const head = headOf(thread.head);
  version = head.version;
  const state = originals ? undefined : viewStateOf(thread.state);
  for (const [index, reader] of readers.entries()) {
    const page = answered("references", pages[index]);
    if (page.isMissing === true) return { kind: "unsure", reason: ROWS_MISSING };
    reader.take(page);
  }
  const { facts } = answered("facts", factsAnswer);
  const { positions } = answered("positions", positionsAnswer);
  const range = indexRange(query, positions, version, state);
  if (range === undefined) return { kind: "unsure", reason: OUT_OF_SIGHT };
  const resolved = resolveQuery({ query, plan, head, state, range, positions }, facts);
  if (resolved.kind !== "resolved") return resolved;
  // Else an exchange that goes on behind the range is hidden: its other part must be known.
  if (query.splitExchanges === true) {
    readers.find(({ stream }) => stream === streamName.all)?.skipTo(range.before);
  }
  const completed = yield* completeStreams(readers, resolved);
  if (typeof completed === "string") return { kind: "unsure", reason: completed };
  const summaries = state?.shown ?? [];
  const { viewRevision } = thread;
  return { kind: "found", counts: countsOfHead(head), viewRevision, ...completed, summaries };
}

/** The reason for reading the whole log where a bound is not known to stand in the view. */
export const OUT_OF_SIGHT = "a range that begins out of sight";

/** The reason for reading the whole log that is a fault of the store's. */
export const ROWS_MISSING = "rows of the index that are missing";

/** Returns whether a query asks for what came since an entry, and for no turn, task or upload that may reach further back. */
function asksOnlySince({ after, clauses }: HistoryQuery, { sources }: ReadPlan): boolean {
  const bounds = [...sources.values()].flat();
  const isOpen = bounds.every((bound) => bound === "beginning");
  return after !== undefined && isOpen && !clauses.some(({ attachedToShown }) => attachedToShown);
}

/** An agent's own stream tells which entries of the others are its own, for the summaries of its view. */
function readersOf({ sources, agent }: ReadPlan, { view }: HistoryQuery): readonly string[] {
  const streams = new Set(sources.keys());
  if (agent !== undefined && view === agentView(agent)) streams.add(streamName.agent(agent));
  return [...streams];
}

/** Reads on until a query can be evaluated: each stream to its bound, or all of them to where the limits cut. */
function* completeStreams(
  readers: readonly StreamReader[],
  resolved: ResolvedQuery,
): StoreProgram<Pick<FoundEntries, "selection" | "references"> | string> {
  for (;;) {
    for (const reader of readers) resolved.useKept(reader);
    const incomplete = readers.filter((reader) => !resolved.isComplete(reader));
    const floor = incomplete.reduce((most, reader) => Math.max(most, reader.floor()), 0);
    if (incomplete.every((reader) => resolved.isCutByLimits(reader))) {
      const references = yield* mergeReferences(readers, (reader) =>
        Math.max(floor, resolved.from(reader)),
      );
      const evidence: Evidence | string = yield* resolved.evidenceOf(references);
      if (typeof evidence === "string") return evidence;
      const selection = yield* evaluateReferences(evidence, resolved.query);
      if (incomplete.length === 0 || (selection.cutAt > 0 && selection.cutAt >= floor)) {
        return { selection, references };
      }
    }
    const wanted = incomplete.filter(
      (reader) => reader.floor() >= floor || !resolved.isCutByLimits(reader),
    );
    const pages = yield* fetchRound(wanted.map((reader) => reader.fetch(resolved.oldest(reader))));
    for (const [index, reader] of wanted.entries()) {
      const page = answered("references", pages[index]);
      if (page.isMissing === true) return ROWS_MISSING;
      reader.take(page);
    }
  }
}

/** Puts streams together. An entry of several is one; what each stream says of it holds. */
function* mergeReferences(
  readers: readonly StreamReader[],
  from: (reader: StreamReader) => number,
): StoreProgram<ReadonlyMap<number, Reference>> {
  const merged = new Map<number, Reference>();
  for (const reader of readers) {
    const start = from(reader);
    yield* eachInSteps(reader.references(), (reference) => {
      const { position, isOwn, isGiven } = reference;
      const known = merged.get(position);
      if (position < start) return;
      if (known === undefined) merged.set(position, reference);
      else if (isOwn || isGiven) {
        merged.set(position, {
          ...known,
          isOwn: known.isOwn || isOwn,
          isGiven: known.isGiven || isGiven,
        });
      }
    });
  }
  return merged;
}
