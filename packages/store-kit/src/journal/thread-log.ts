import type { StoredEntryProblem } from "@agent-history/core";

import type { Journal } from "../journal-store.ts";
import { recordText } from "./journal-record.ts";
import type { JournalChange } from "./journal-record.ts";
import { logNameOf } from "./log-name.ts";
import { failed, logReader, reach } from "./log-reader.ts";
import type { LogReader } from "./log-reader.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** What a verb decides on the tables: its result, and what is to be written for it. Nothing, where it is written already. */
export interface Decision<Result> {
  readonly result: Result;
  readonly change?: JournalChange;
}

/** One thread's log, as far as this handle has read it. */
export interface ThreadLog {
  /** Calls with what the log says now. One after the other; a failed one fails none behind it. */
  readonly read: <Result>(
    work: (tables: ThreadTables, problems: readonly StoredEntryProblem[]) => Result,
    signal?: AbortSignal,
  ) => Promise<Result>;
  /** Decides on what the log says, and writes; decides again if another writer came first. */
  readonly write: <Result>(
    decide: (tables: ThreadTables) => Decision<Result>,
    signal?: AbortSignal,
  ) => Promise<Result>;
  /** Reads the whole log once more: what cannot be read of it, remains of an interrupted write included, and its tables. */
  readonly check: <Result>(
    work: (tables: ThreadTables, problems: readonly StoredEntryProblem[]) => Result,
    signal?: AbortSignal,
  ) => Promise<Result>;
  /** Work is under way. */
  readonly isBusy: () => boolean;
  readonly settled: () => Promise<unknown>;
}

/** What a log is read by, once its name is known. */
interface OpenLog {
  readonly journal: Journal;
  readonly threadId: string;
  readonly name: string;
  readonly reader: LogReader;
}

/** Begins without having read anything. */
export function threadLog(journal: Journal, threadId: string): ThreadLog {
  let opened: OpenLog | undefined;
  let busy = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function open(): Promise<OpenLog> {
    const name = opened?.name ?? (await logNameOf(threadId));
    opened ??= { journal, threadId, name, reader: logReader(journal, name) };
    return opened;
  }

  async function inTurn<Result>(work: (log: OpenLog) => Promise<Result>): Promise<Result> {
    busy += 1;
    const run = last.then(open).then(work);
    last = run.catch(() => undefined).finally(() => (busy -= 1));
    return run;
  }

  return {
    read: async (work, signal) =>
      inTurn(async ({ reader }) => {
        const { tables, problems } = await reader.catchUp(signal);
        return work(tables, problems);
      }),
    write: async (decide, signal) => inTurn(async (log) => write(log, decide, signal)),
    check: async (work, signal) =>
      inTurn(async ({ reader }) => {
        reader.forget();
        const { tables, problems, cut } = await reader.catchUp(signal);
        return work(tables, [...problems, ...cut]);
      }),
    isBusy: () => busy > 0,
    settled: async () => last,
  };
}

async function write<Result>(
  { journal, threadId, name, reader }: OpenLog,
  decide: (tables: ThreadTables) => Decision<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (;;) {
    const { tables, count } = await reader.catchUp(signal);
    const { result, change } = decide(tables);
    if (change === undefined) {
      // "Already there" is as durable as the write was (L18).
      if (tables.exists) await reach(journal.append(name, []), "STORE_UNAVAILABLE");
      return result;
    }
    const token = crypto.randomUUID();
    if (change.kind === "delete") {
      const tombstone = recordText({ threadId, after: 0, token, atMs: Date.now(), change });
      await reach(journal.rewrite(name, [tombstone]), "OUTCOME_UNKNOWN");
      return result;
    }
    const text = recordText({ threadId, after: count, token, atMs: Date.now(), change });
    await reach(journal.append(name, [text]), "OUTCOME_UNKNOWN");
    const outcome = await reader.find(text);
    if (outcome === "counts") return result;
    // It may have been deleted meanwhile, and the record with it: the next decision says so.
    if (outcome === "missing" && !reader.folded().tables.isDeleted) throw failed("OUTCOME_UNKNOWN");
  }
}
