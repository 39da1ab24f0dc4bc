import type { StoredEntryProblem } from "@agent-history/core";

import type { Ask } from "./driver.ts";
import { loadRow, positionIn, problemOf, turnIn } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { overlaysIn } from "./summaries.ts";
import { know, look, pause } from "./thread-access.ts";
import type { Known, Thread, ThreadVerb } from "./thread-access.ts";

/** Rows per read. */
const PAGE = 1000;

const LANES = ["m", "c"] as const;

/**
 * Checks the consistency of a thread, in pages: every row exists, is readable, and is found by its id, by its turn and in its lane; last tasks are found; every summary that a view shows
 * exists and is readable. Starts over if the end of the log is replaced or entries are erased meanwhile.
 */
export const verifyThread: ThreadVerb<"verify"> = async (thread) => {
  for (;;) {
    const asks = [
      { kind: "items", of: "o" },
      { kind: "items", of: "a" },
    ] as const;
    const problems = await problemsOf(thread, await know(thread, asks));
    if (problems !== undefined) return problems;
  }
};

/** The problems of a thread; `undefined` if its rows have changed meanwhile. */
async function problemsOf(thread: Thread, { head, answers: [summaries, tasks] }: Known) {
  if (head === undefined) return [];
  const { entryCount, cuts, erased, views } = head;
  const problems = new Map<number, StoredEntryProblem>();
  const report = (position: number, reason: string): void => {
    if (!problems.has(position)) problems.set(position, { position, kind: "broken", reason });
  };
  const known = new Set(overlaysIn(summaries).map(({ summary }) => summary.id));
  for (const [place, id] of Object.values(views).flatMap(({ tops }) => tops))
    if (!known.has(id)) report(place, "The summary that a view shows here is missing.");
  const lastTasks = new Map<string, number>();
  for (let from = 0; from < entryCount; from += PAGE) {
    const to = Math.min(from + PAGE, entryCount);
    const ask: Ask = { kind: "rows", from, to, limit: PAGE, forward: true };
    const asks = [ask, ...LANES.map((lane): Ask => ({ ...ask, lane }))];
    const [all, ...lanes] = (await look(thread, asks)).answers;
    const inLane = lanes.map(({ rows }) => new Set(rows.map(({ position }) => position)));
    const loaded: LoadedRow[] = [];
    let next = from;
    for (const row of all?.rows ?? []) {
      const { position } = row;
      for (; next < position; next += 1) report(next, "The row is missing.");
      next += 1;
      if (LANES.some((lane, nth) => (row.lane === lane) !== inLane[nth]?.has(position)))
        report(position, "The row is not found where its kind of entry is looked for.");
      try {
        loaded.push(loadRow(row));
      } catch (error) {
        problems.set(position, problemOf(position, error));
      }
    }
    const { head: now, answers } = await look(thread, [
      { kind: "items", of: "i", keys: loaded.map(({ entry }) => entry.id) },
      { kind: "items", of: "t", keys: loaded.flatMap(({ entry }) => entry.turnId ?? []) },
    ]);
    if (now?.cuts !== cuts || now.erased !== erased) return undefined;
    const [ids, turns] = answers;
    for (const { entry, position, turn, isErased } of loaded) {
      if (!isErased && positionIn(ids, entry.id) !== position)
        report(position, "The entry is not found by its id.");
      if (entry.turnId !== undefined && turnIn(turns, entry.turnId)?.turn !== turn)
        report(position, "The turn of the entry is not found by its id.");
      if (entry.type === "task") lastTasks.set("*", position).set(`=${entry.agent.id}`, position);
    }
    for (; next < to; next += 1) {
      report(next, "The row is missing.");
      // A damaged head may state any number of entries.
      if (all?.rows.length === 0) return [...problems.values()];
    }
    await pause();
  }
  for (const [agent, position] of lastTasks) {
    const value = tasks?.items.get(agent);
    // After a replacement or an erasure, the last task may be unknown (`-`).
    if (value !== "-" && value !== String(position) && !problems.has(Number(value)))
      report(position, "The task is not found as the last one of its agent.");
  }
  return [...problems.values()];
}
