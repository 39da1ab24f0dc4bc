import { setImmediate } from "node:timers/promises";

import type { Answer, Fetch, StoreProgram } from "@agent-history/store-kit";
import { stepProgram } from "@agent-history/store-kit";

import type { Transactions } from "./connection.ts";
import type { Sql } from "./sql.ts";
import type { ThreadRow } from "./thread-row.ts";

/** How many rows a program may read before others have their turn. */
const SLICE_ROWS = 500;

/** How often it begins again where the thread's end was replaced between two transactions; then it stays in one. */
const MOST_TRIES = 3;

/** A thread as one transaction sees it. */
export interface OpenThread {
  readonly thread: ThreadRow | undefined;
  readonly answer: (fetch: Fetch) => Answer;
}

/** What a program is driven with. */
export interface DriveOptions<Result> {
  /** Begins the program: once more where the file was locked, or the thread's end replaced. */
  readonly begin: () => StoreProgram<Result>;
  /** Looks the thread up, in each transaction. */
  readonly open: (sql: Sql) => OpenThread;
  readonly signal: AbortSignal | undefined;
}

/**
 * Drives a program that reads. Most end in one transaction, which sees one state of the file; one that reads more than some hundred rows goes on in further ones, a
 * round each, so that it blocks the process for no longer than a page takes, and ends where the signal fires.
 */
export async function driveProgram<Result>(
  connection: Pick<Transactions, "read">,
  options: DriveOptions<Result>,
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    const driven = await drive(connection, options, tries < MOST_TRIES ? SLICE_ROWS : Infinity);
    if (driven !== MOVED) return driven;
  }
}

const MOVED = Symbol("the thread's end was replaced");

async function drive<Result>(
  connection: Pick<Transactions, "read">,
  { begin, open, signal }: DriveOptions<Result>,
  sliceRows: number,
): Promise<Result | typeof MOVED> {
  let { program, step, replacements } = await connection.read((sql) => {
    const { thread, answer } = open(sql);
    const begun = begin();
    let next = stepProgram(begun);
    for (let rows = 0; next.done !== true && rows < sliceRows;) {
      const answers = next.value.map(answer);
      rows += answers.reduce((sum, one) => sum + rowsOf(one), 0);
      next = stepProgram(begun, answers);
    }
    return { program: begun, step: next, replacements: thread?.replacements };
  }, signal);
  while (step.done !== true) {
    await setImmediate();
    const round = step.value;
    const answers = await connection.read((sql) => {
      const { thread, answer } = open(sql);
      return thread?.replacements === replacements ? round.map(answer) : undefined;
    }, signal);
    if (answers === undefined) return MOVED;
    step = stepProgram(program, answers);
  }
  return step.value;
}

function rowsOf(answer: Answer): number {
  if (answer.kind === "entries" || answer.kind === "references") return answer.rows.length;
  return 0;
}
