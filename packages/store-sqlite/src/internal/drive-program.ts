import { setImmediate } from "node:timers/promises";

import type { Answer, Fetch, StoreProgram } from "@agent-history/store-kit";
import { stepProgram } from "@agent-history/store-kit";

import type { Connection } from "./connection.ts";
import type { Sql } from "./sql.ts";

/** How many rows a program may read before others have their turn. */
const SLICE_ROWS = 500;

/** Answers one fetch within a transaction. */
type AnswerFetch = (fetch: Fetch) => Answer;

/**
 * Drives a program that reads. Most end in one transaction, which sees one state of the file; one that reads more than some hundred rows goes on in further ones, a
 * round each, so that it blocks the process for no longer than a page takes, and ends where the signal fires.
 *
 * @param begin - Begins the program: once more where the file was locked.
 * @param open - Looks the thread up, in each transaction.
 */
export async function driveProgram<Result>(
  connection: Connection,
  begin: () => StoreProgram<Result>,
  open: (sql: Sql) => AnswerFetch,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let { program, step } = await connection.read((sql) => {
    const answer = open(sql);
    const begun = begin();
    let next = stepProgram(begun);
    for (let rows = 0; next.done !== true && rows < SLICE_ROWS;) {
      const answers = next.value.map(answer);
      rows += answers.reduce((sum, one) => sum + rowsOf(one), 0);
      next = stepProgram(begun, answers);
    }
    return { program: begun, step: next };
  }, signal);
  while (step.done !== true) {
    await setImmediate();
    const round = step.value;
    const answers = await connection.read((sql) => round.map(open(sql)), signal);
    step = stepProgram(program, answers);
  }
  return step.value;
}

function rowsOf(answer: Answer): number {
  if (answer.kind === "entries" || answer.kind === "references") return answer.rows.length;
  return 0;
}
