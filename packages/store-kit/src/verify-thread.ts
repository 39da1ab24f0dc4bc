import type { StoredEntryProblem } from "@agent-history/core";

import { appended } from "./append-entries.ts";
import type { Ask, Row } from "./driver.ts";
import { newHead } from "./head.ts";
import type { Head } from "./head.ts";
import { loadRow, positionIn, problemOf } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { know, look, pause } from "./thread-access.ts";
import type { Thread } from "./thread-access.ts";
import { overlaysIn } from "./views.ts";

/** Rows per read. */
const PAGE = 1000;

/**
 * Checks the consistency of a thread, in pages: every row exists, is readable, is found by its id and in its lane, and has the turn that appending it again would give it; turns and
 * last tasks are found; every summary that a view shows exists and is readable.
 */
export async function verifyThread(thread: Thread): Promise<readonly StoredEntryProblem[]> {
  for (;;) {
    const problems = await tryVerify(thread);
    if (problems !== undefined) return problems;
  }
}

const LANES = ["m", "c", "l"] as const;

/** Progress of a check. */
interface Check {
  readonly problems: StoredEntryProblem[];
  /** The head that appending the checked rows again produces; `undefined` after an unreadable row, as turns are unknown from there on. */
  again: Head | undefined;
  /** Expected items of turns and of last tasks. */
  readonly turns: Map<string, string>;
  readonly tasks: Map<string, string>;
}

/** Returns `undefined` if the end of the log was replaced meanwhile. */
async function tryVerify(thread: Thread): Promise<readonly StoredEntryProblem[] | undefined> {
  const asks: readonly Ask[] = [
    { kind: "items", of: "o" },
    { kind: "items", of: "a" },
  ];
  const { head, answers } = await know(thread, asks);
  if (head === undefined) return [];
  const check: Check = { problems: [], again: newHead(0), turns: new Map(), tasks: new Map() };
  const summaries = new Set(overlaysIn(answers[0]).map(({ summary }) => summary.id));
  for (const [place, id] of Object.values(head.views).flatMap(({ tops }) => tops))
    if (!summaries.has(id)) report(check, place, "The summary that a view shows here is missing.");
  for (let from = 0; from < head.entryCount; from += PAGE) {
    const to = Math.min(from + PAGE, head.entryCount);
    const ask: Ask = { kind: "rows", from, to, limit: PAGE, forward: true };
    const ofLanes = LANES.map((lane): Ask => ({ ...ask, lane }));
    const read = await look(thread, [ask, ...ofLanes]);
    if (read.head !== undefined && read.head.cuts !== head.cuts) return undefined;
    const [all, ...lanes] = read.answers;
    if (all?.rows.length === 0) {
      report(check, from, "This row and those behind it are missing.");
      return check.problems;
    }
    const found = new Set(lanes.flatMap(({ rows }, nth) => rows.map((row) => placeOf(row, nth))));
    for (const row of all?.rows ?? [])
      if (LANES.some((lane, nth) => (row.lane === lane) !== found.has(placeOf(row, nth))))
        report(check, row.position, "The row is not found where its kind of entry is looked for.");
    const loaded = loadAll(all?.rows ?? [], [from, to], check);
    await checkRows(thread, loaded, check);
    await pause();
  }
  for (const [agent, position] of check.again === undefined ? [] : check.tasks) {
    const value = answers[1]?.items.get(agent);
    // After a replacement or an erasure, the last task may be unknown (`-`).
    if (value !== "-" && value !== position)
      report(check, Number(position), "The task is not found as the last one of its agent.");
  }
  return check.problems;
}

function placeOf({ position }: Row, lane: number): string {
  return `${lane} ${position}`;
}

function report({ problems }: Check, position: number, reason: string): void {
  problems.push({ position, kind: "broken", reason });
}

/** Parses rows; reports missing and unreadable ones. */
function loadAll(
  rows: readonly Row[],
  [from, to]: readonly [from: number, to: number],
  check: Check,
): readonly LoadedRow[] {
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  const loaded: LoadedRow[] = [];
  for (let position = from; position < to; position += 1) {
    const row = byPosition.get(position);
    try {
      if (row === undefined) report(check, position, "The row is missing.");
      else loaded.push(loadRow(row));
    } catch (error) {
      check.problems.push(problemOf(position, error));
    }
  }
  if (loaded.length < to - from) check.again = undefined;
  return loaded;
}

/** Compares rows and their items with those that appending the entries again would write. */
async function checkRows(
  thread: Thread,
  loaded: readonly LoadedRow[],
  check: Check,
): Promise<void> {
  const { turns, tasks } = check;
  const entries = loaded.map(({ entry, json }) => ({ entry, json, bytes: 0 }));
  const known = { turns, ids: new Map<string, string>() };
  const again = check.again && appended(check.again, { entries, bytes: 0 }, 0, known).change;
  check.again = again?.head;
  for (const [nth, row] of (again?.rows ?? []).entries()) {
    const { turn, at } = loadRow(row);
    if (turn !== loaded[nth]?.turn || at !== loaded[nth]?.at)
      report(check, row.position, "The row says another turn than the log does.");
  }
  const begun = (again?.put ?? []).filter(([kind]) => kind === "t");
  const asks: readonly Ask[] = [
    { kind: "items", of: "i", keys: loaded.map(({ entry }) => entry.id) },
    { kind: "items", of: "t", keys: begun.map(([, turn]) => turn) },
  ];
  const [ids, found] = (await look(thread, asks)).answers;
  for (const { entry, position, isErased } of loaded)
    if (!isErased && positionIn(ids, entry.id) !== position)
      report(check, position, "The entry is not found by its id.");
  for (const [, turn, value] of begun) {
    turns.set(turn, value);
    if (found?.items.get(turn) !== value)
      report(
        check,
        Number.parseInt(value, 10),
        "The turn that begins here is not found by its id.",
      );
  }
  for (const [kind, agent, value] of again?.put ?? []) if (kind === "a") tasks.set(agent, value);
}
