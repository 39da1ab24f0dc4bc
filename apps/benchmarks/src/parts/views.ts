import {
  REGULAR,
  regularHistory,
} from "../../../../packages/testkit/test-support/arbitrary-regular-history.ts";
import { fakeThread } from "../../../../packages/testkit/test-support/fake-store.ts";
import { ROLE_QUERIES } from "../../../../packages/testkit/test-support/role-queries.ts";
import type { ResultTable } from "../report/result-table.ts";
import type { Measured, MeasureOptions } from "./measured.ts";

/** What one view of one thread is read by. */
export interface ViewFigures {
  readonly view: string;
  readonly entries: number;
  readonly shown: number;
  /** Round trips. */
  readonly rounds: number;
  /** Rows of the index, of at most 16 entries each. */
  readonly indexRows: number;
  /** Stored entries. */
  readonly fetched: number;
}

/** Entries in a batch while the thread is made. */
const BATCH = 10;

/** Counts what each role's view reads, on a short thread and on a long one. */
export async function measureViews({ isQuick }: MeasureOptions): Promise<Measured> {
  const figures = viewsAll(isQuick ? [100, 200] : [1000, 100_000]);
  return { tables: [viewsTable(figures)], broken: brokenViews(figures) };
}

function viewsAll(lengths: readonly number[]): readonly ViewFigures[] {
  const threads = lengths.map((entries) => {
    const thread = fakeThread();
    const log = regularHistory({ ...REGULAR, entries });
    for (let start = 0; start < log.length; start += BATCH) {
      thread.append(log.slice(start, start + BATCH));
    }
    return { thread, entries };
  });
  return [...ROLE_QUERIES].flatMap(([view, query]) =>
    threads.map(({ thread, entries }): ViewFigures => {
      const { result, cost } = thread.read({ query });
      const { rounds, rows: indexRows, entries: fetched } = cost;
      return { view, entries, shown: result.entries.length, rounds, indexRows, fetched };
    }),
  );
}

function brokenViews(figures: readonly ViewFigures[]): readonly string[] {
  return figures
    .filter(({ rounds }) => rounds > 2)
    .map(
      ({ view, entries, rounds }) => `views: ${rounds} rounds for ${view} at ${entries} entries`,
    );
}

function viewsTable(figures: readonly ViewFigures[]): ResultTable {
  return {
    title: "Views: what is read for them",
    note: "Counted in the program that answers a read in every store: a round is one round trip in Redis and Postgres. A row of the index tells of up to 16 entries of one batch; batches of ten.",
    head: ["view", "entries", "shown", "rounds", "rows of the index", "entries read"],
    rows: figures.map(({ view, entries, shown, rounds, indexRows, fetched }) => [
      view,
      ...[entries, shown, rounds, indexRows, fetched].map((count) => count.toLocaleString("en")),
    ]),
    figures,
  };
}
