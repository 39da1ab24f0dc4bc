import type {
  EntryRun,
  HistoryEntry,
  HistoryQuery,
  HistoryView,
  SummaryEntry,
} from "@agent-history/core";
import {
  agentView,
  applyCompactions,
  isHistoryError,
  isInView,
  isOverlay,
  summary,
} from "@agent-history/core";
import { selectPage } from "@agent-history/core/query-parts";
import { decodeEntry, encodeEntry } from "@agent-history/core/stored-form";
import * as fc from "fast-check";

import {
  arbitraryBrokenHistory,
  arbitraryEntry,
  arbitraryHistory,
  arbitraryQuery,
} from "../src/index.ts";
import { arbitraryRegularHistory } from "./arbitrary-regular-history.ts";
import type { FakeThread } from "./fake-store.ts";

/** A thread written down plainly: its log and its summaries, in the order they came. */
export interface PlainThread {
  readonly log: HistoryEntry[];
  overlays: SummaryEntry[];
}

/** A thread to be written, and what to ask of it. */
export interface ThreadPlan {
  /** Writes it in batches, with compactions between; gives what it should then be. */
  readonly steps: (thread: FakeThread) => PlainThread;
  readonly queries: readonly HistoryQuery[];
  readonly forkAt: (
    thread: FakeThread,
    model: PlainThread,
  ) => { readonly thread: FakeThread; readonly model: PlainThread } | undefined;
}

interface Cut {
  /** After which batch. */
  readonly batch: number;
  readonly kind: "thread" | "conversation" | "agent";
  readonly agent: number;
  readonly from: number;
  readonly length: number;
  readonly second: number;
  readonly isExpand: boolean;
  readonly isPinned: boolean;
}

/** Generates threads of every kind, in random batches, with random layers of summaries, expanded now and then. */
export function arbitraryThread(): fc.Arbitrary<ThreadPlan> {
  return arbitraryLog().chain((log) => {
    const cut: fc.Arbitrary<Cut> = fc.record({
      batch: fc.nat({ max: 12 }),
      kind: fc.constantFrom("thread", "conversation", "agent"),
      agent: fc.nat({ max: 8 }),
      from: fc.oneof(fc.constant(0), fc.nat({ max: 60 })),
      length: fc.oneof(fc.nat({ max: 6 }), fc.nat({ max: 40 })),
      second: fc.oneof(fc.constant(0), fc.nat({ max: 8 })),
      isExpand: fc.nat({ max: 5 }).map((number) => number === 0),
      isPinned: fc.nat({ max: 9 }).map((number) => number === 0),
    });
    return fc
      .record({
        sizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }),
        cuts: fc.oneof(
          { weight: 1, arbitrary: fc.constant<Cut[]>([]) },
          { weight: 2, arbitrary: fc.array(cut, { maxLength: 8 }) },
        ),
        queries: fc.array(arbitraryQuery(log), { minLength: 6, maxLength: 10 }),
        fork: fc.option(fc.nat(), { nil: undefined, freq: 1 }),
      })
      .map(({ sizes, cuts, queries, fork }) => ({
        steps: (thread) => writeThread(thread, log, sizes, cuts),
        queries,
        forkAt: (thread, model) => forkThread(thread, model, fork),
      }));
  });
}

/** Generates logs of every kind. */
export function arbitraryLog(): fc.Arbitrary<readonly HistoryEntry[]> {
  const nasty = fc
    .array(arbitraryEntry(), { maxLength: 25 })
    .map((entries) => entries.filter((entry) => !isOverlay(entry)));
  const log = fc.oneof(
    { weight: 4, arbitrary: arbitraryHistory({ nestedCalls: true }) },
    { weight: 2, arbitrary: arbitraryHistory({ userMessages: false }) },
    { weight: 3, arbitrary: arbitraryBrokenHistory().map(({ entries }) => entries) },
    { weight: 4, arbitrary: arbitraryRegularHistory() },
    { weight: 2, arbitrary: nasty },
    { weight: 2, arbitrary: fc.tuple(arbitraryRegularHistory(), fc.nat(), fc.nat()).map(moved) },
  );
  return log.map((entries) => {
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    return [...byId.values()].flatMap(storedEntry);
  });
}

/** An entry as a store gives it back; nothing where a store does not take it. */
function storedEntry(entry: HistoryEntry): HistoryEntry | readonly HistoryEntry[] {
  try {
    return decodeEntry(JSON.stringify(encodeEntry(entry)));
  } catch (error) {
    if (isHistoryError(error, "INVALID_ENTRY")) return [];
    throw error;
  }
}

/** One entry comes late. */
function moved([entries, from, by]: [readonly HistoryEntry[], number, number]): HistoryEntry[] {
  const index = from % Math.max(1, entries.length);
  const rest = entries.toSpliced(index, 1);
  const entry = entries[index];
  const to = index + (by % Math.max(1, rest.length - index + 1));
  return entry === undefined ? rest : rest.toSpliced(to, 0, entry);
}

function writeThread(
  thread: FakeThread,
  log: readonly HistoryEntry[],
  sizes: readonly number[],
  cuts: readonly Cut[],
): PlainThread {
  const model: PlainThread = { log: [], overlays: [] };
  let batch = 0;
  for (let start = 0; start < log.length;) {
    const entries = log.slice(start, start + (sizes[batch % sizes.length] ?? 1));
    thread.append(entries);
    model.log.push(...entries);
    start += entries.length;
    for (const cut of cuts) if (cut.batch === batch) compact(thread, model, cut);
    batch += 1;
  }
  for (const cut of cuts) if (cut.batch >= batch) compact(thread, model, cut);
  return model;
}

function compact(thread: FakeThread, model: PlainThread, cut: Cut): void {
  const agents = [...new Set(model.log.flatMap(({ agent }) => agent?.id ?? []))];
  const agent = agents[cut.agent % Math.max(1, agents.length)];
  if (cut.kind === "agent" && agent === undefined) return;
  const view = cut.kind === "agent" ? agentView(agent ?? "") : cut.kind;
  const shown = shownBy(model, view);
  if (cut.isExpand) {
    const last = shown.findLast(isOverlay);
    if (last === undefined) return;
    thread.expand(last.id);
    model.overlays = model.overlays.filter(({ id }) => id !== last.id);
    return;
  }
  const members = shown.filter((entry) => isInView(entry, view) || isOverlay(entry));
  const covers = runsOf(members, cut);
  if (covers.length === 0) return;
  const overlay = summary({
    id: `overlay ${model.overlays.length} ${model.log.length}`,
    createdAtMs: 0,
    view,
    covers,
    strategy: "whole",
    trust: "tool",
    content: "",
    ...(cut.isPinned ? { pinned: true } : {}),
  });
  const after = applyCompactions([...model.log, ...model.overlays, overlay], view);
  const isTaken = [...model.log, ...model.overlays].some(({ id }) => id === overlay.id);
  try {
    thread.commit(view, overlay, covers);
  } catch (error) {
    if (!isHistoryError(error)) throw error;
    if (after.includes(overlay) && !isTaken) throw error;
    return;
  }
  if (!after.includes(overlay) || isTaken) throw new Error("Committed what covers nothing");
  model.overlays.push(overlay);
}

function runsOf(members: readonly HistoryEntry[], cut: Cut): readonly EntryRun[] {
  if (members.length === 0) return [];
  const start = cut.from % members.length;
  const end = Math.min(start + cut.length, members.length - 1);
  const runs = [{ start, end }];
  const next = end + cut.second;
  if (cut.second > 0 && next < members.length) runs.push({ start: next, end: next });
  return runs.flatMap((run) => {
    const [from, to] = [members[run.start]?.id, members[run.end]?.id];
    return from === undefined || to === undefined ? [] : { from, to };
  });
}

function shownBy(model: PlainThread, view: HistoryView | undefined): readonly HistoryEntry[] {
  return applyCompactions([...model.log, ...model.overlays], view);
}

function forkThread(
  thread: FakeThread,
  { log, overlays }: PlainThread,
  index: number | undefined,
): { readonly thread: FakeThread; readonly model: PlainThread } | undefined {
  if (index === undefined || log.length === 0) return undefined;
  const end = (index % log.length) + 1;
  const shared = log.slice(0, end);
  const ids = new Set(shared.map(({ id }) => id));
  const kept = overlays.filter((overlay) => {
    const isShared = (overlay.covers ?? []).every(({ from, to }) => ids.has(from) && ids.has(to));
    if (isShared) ids.add(overlay.id);
    return isShared;
  });
  const fork = thread.fork(log[end - 1]?.id ?? "");
  const model = { log: shared, overlays: kept };
  const rest = log.slice(end);
  // It goes on by itself: with what the parent had next.
  if (rest.length > 0) fork.append(rest.slice(0, 500));
  return { thread: fork, model: { ...model, log: [...shared, ...rest.slice(0, 500)] } };
}

/** What a read must give, or the code of the error that it must throw. */
export function expectedPage(model: PlainThread, query: HistoryQuery, originals: boolean): unknown {
  try {
    const { entries, next } = selectPage(originals ? model.log : shownBy(model, query.view), query);
    return { entries, next };
  } catch (error) {
    return isHistoryError(error) ? error.code : error;
  }
}

/** The queries, and those of them that are asked of each view that has summaries, which are named beside entries; of an agent's view, as that agent. */
export function queriesOf(
  { overlays }: PlainThread,
  queries: readonly HistoryQuery[],
): readonly HistoryQuery[] {
  const views = new Set(overlays.flatMap(({ view }) => view ?? []));
  const summaryIds = overlays.map(({ id }) => id);
  return [
    ...queries,
    ...[...views].flatMap((view) => queries.map((query) => askedOf(view, query, summaryIds))),
  ];
}

const AGENT = agentView("");

function askedOf(
  view: HistoryView,
  query: HistoryQuery,
  summaryIds: readonly string[],
): HistoryQuery {
  const named = query.clauses.map(({ ids, ...clause }) =>
    ids === undefined ? clause : { ...clause, ids: [...ids, ...summaryIds] },
  );
  if (!view.startsWith(AGENT)) return { ...query, view, clauses: named };
  const id = view.slice(AGENT.length);
  const clauses = named.map((clause) => ({
    ...clause,
    ...(clause.agent === undefined ? {} : { agent: id }),
    ...(clause.lastTask?.of === undefined ? {} : { lastTask: { of: id } }),
    ...(clause.underTaskFrom === undefined ? {} : { underTaskFrom: id }),
  }));
  return { ...query, view, clauses };
}
