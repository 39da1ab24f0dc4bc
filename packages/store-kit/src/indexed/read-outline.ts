import type { HistoryView, SummaryEntry } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";
import { decodeEntry } from "@agent-history/core/schema";

import { answered, fetchRound } from "./fetch-round.ts";
import { unpackReferences } from "./reference.ts";
import type { Reference } from "./reference.ts";
import type { ReferenceRow, StoredSummary, StoreProgram } from "./store-program.ts";
import { streamName } from "./streams-of.ts";
import type { ViewOutline } from "./view-outline.ts";

/** Reads a thread in outline: all its references, what of it is the view's own, and where the runs of summaries lie. */
export function* readOutline(
  view: HistoryView,
  summaries: readonly SummaryEntry[],
  wanted: readonly SummaryEntry[],
  version: number,
): StoreProgram<ViewOutline> {
  const ids = [...summaries, ...wanted].flatMap(({ covers = [] }) =>
    covers.flatMap(({ from, to }) => [from, to]),
  );
  const [answer] = yield* fetchRound([{ kind: "positions", ids: [...new Set(ids)] }]);
  const { positions } = answered("positions", answer);
  const { references } = yield* readStream(streamName.all, version);
  if (references.length !== version) throw corrupt();
  const own = new Set<number>();
  const ownStream = ownStreamOf(view);
  if (ownStream !== undefined) {
    const ofAgent = yield* readStream(ownStream, version);
    if (ofAgent.isMissing) throw corrupt();
    for (const { position, isOwn } of ofAgent.references) if (isOwn) own.add(position);
  }
  const marked = references.map((one) => (own.has(one.position) ? { ...one, isOwn: true } : one));
  return { view, references: marked, summaries, positions };
}

/** A whole stream. */
export interface WholeStream {
  /** The oldest first. */
  readonly references: readonly Reference[];
  /** The store knows of rows that are gone. */
  readonly isMissing: boolean;
}

/** Reads a whole stream, as far as the head knew it. */
function* readStream(stream: string, version: number): StoreProgram<WholeStream> {
  let isAnyMissing = false;
  const pages: (readonly ReferenceRow[])[] = [];
  let before: number | undefined;
  for (;;) {
    const bound = before === undefined ? {} : { before };
    const [answer] = yield* fetchRound([{ kind: "references", stream, limit: PAGE, ...bound }]);
    const { rows, isMissing = false } = answered("references", answer);
    isAnyMissing ||= isMissing;
    pages.push(rows);
    before = rows.at(-1)?.key;
    if (rows.length < PAGE) break;
  }
  const rows = pages.flat().toReversed();
  const references = unpackReferences(rows).filter(({ position }) => position < version);
  return { references, isMissing: isAnyMissing };
}

/** Reads committed summaries. */
export function summariesOf(stored: readonly StoredSummary[]): readonly SummaryEntry[] {
  return stored.flatMap(({ json }) => {
    const entry = decodeEntry(json);
    return entry.type === "summary" ? entry : [];
  });
}

const PAGE = 4096;

function ownStreamOf(view: HistoryView): string | undefined {
  // The name of an agent's view is the name of its stream.
  return view === "thread" || view === "conversation" ? undefined : view;
}

function corrupt(): HistoryError {
  return new HistoryError(
    "Expected a thread to have one reference for each entry. Nothing was written. `verify` says more.",
    { code: "THREAD_CORRUPT", details: { reason: "references" } },
  );
}
