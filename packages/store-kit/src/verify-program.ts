import type { HistoryView, StoredEntryProblem } from "@agent-history/core";
import { sameJson } from "@agent-history/core";

import { answered, fetchRound } from "./fetch-round.ts";
import { deriveStates } from "./fork-program.ts";
import { versionOf } from "./index-batch.ts";
import { readStream } from "./read-outline.ts";
import { unpackReferences } from "./reference.ts";
import { reindexLog } from "./reindex-log.ts";
import type { DerivedIndex } from "./reindex-log.ts";
import type { StoredSummary, StoreProgram } from "./store-program.ts";

/** Derives a thread's index from its log once more, and tells what differs and what cannot be read. Linear. */
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
    ...(sameText(head, index.head) ? [] : [differs(version, "The head of the thread")]),
    ...(yield* checkIds(index)),
    ...(yield* checkFacts(index, version)),
    ...(yield* checkStreams(index, version)),
    ...(yield* checkViews(index, overlays, version)),
  ];
}

function* checkIds({ ids }: DerivedIndex): StoreProgram<readonly StoredEntryProblem[]> {
  const [answer] = yield* fetchRound([{ kind: "positions", ids: [...ids.values()] }]);
  const { positions } = answered("positions", answer);
  return [...ids].flatMap(([position, entryId]) =>
    positions.get(entryId) === position
      ? []
      : { ...differs(position, "The position that is kept for the id"), entryId },
  );
}

function* checkFacts(
  { facts }: DerivedIndex,
  version: number,
): StoreProgram<readonly StoredEntryProblem[]> {
  const [answer] = yield* fetchRound([{ kind: "facts", keys: [...facts.keys()] }]);
  const found = answered("facts", answer).facts;
  const isSound = [...facts].every(([key, fact]) => sameText(found.get(key), fact));
  return isSound ? [] : [differs(version, "A fact of the thread")];
}

function* checkStreams(
  { references }: DerivedIndex,
  version: number,
): StoreProgram<readonly StoredEntryProblem[]> {
  const problems: StoredEntryProblem[] = [];
  for (const [stream, rows] of references) {
    const { references: found } = yield* readStream(stream, version);
    const derived = unpackReferences(rows);
    const place = derived.findIndex((one, index) => !sameJson(one, found[index]));
    if (place < 0 && found.length === derived.length) continue;
    const at = derived[place] ?? found[derived.length];
    problems.push(differs(at?.position ?? version, "A reference"));
  }
  return problems;
}

function* checkViews(
  index: DerivedIndex,
  overlays: readonly StoredSummary[],
  version: number,
): StoreProgram<readonly StoredEntryProblem[]> {
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

function sameText(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return sameJson(JSON.parse(one), JSON.parse(other));
}

function differs(position: number, what: string): StoredEntryProblem {
  return { position, kind: "broken", reason: `${what} is not what the log says.` };
}
