import type { StoredEntryProblem } from "@agent-history/core";

import { appended } from "./append-entries.ts";
import type { Ask } from "./driver.ts";
import { newHead } from "./head.ts";
import type { Head } from "./head.ts";
import { loadRow, positionIn, problemOf } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { know, look, pause } from "./thread-access.ts";
import type { Thread } from "./thread-access.ts";
import { overlaysIn } from "./views.ts";

/** Rows per read. */
const PAGE = 1000;

const LANES = ["m", "c", "l"] as const;

/** Progress of a check. */
interface Check {
  readonly problems: Map<number, StoredEntryProblem>;
  /** The head that appending the checked rows again produces; `undefined` after an unreadable row, as turns are unknown from there on. */
  again: Head | undefined;
  /** Expected items of turns and of last tasks. */
  readonly turns: Map<string, string>;
  readonly tasks: Map<string, string>;
}

/**
 * Checks the consistency of a thread, in pages: every row exists, is readable, is found by its id and in its lane, and has the turn that appending it again would give it; turns and
 * last tasks are found; every summary that a view shows exists and is readable. Starts over if the end of the log is replaced meanwhile.
 */
export async function verifyThread(thread: Thread): Promise<readonly StoredEntryProblem[]> {
  for (;;) {
    const asks = [
      { kind: "items", of: "o" },
      { kind: "items", of: "a" },
    ] as const;
    const { head, answers } = await know(thread, asks);
    if (head === undefined) return [];
    const [summaries, tasks] = answers;
    const check = { problems: new Map(), again: newHead(0), turns: new Map(), tasks: new Map() };
    const known = new Set(overlaysIn(summaries).map(({ summary }) => summary.id));
    for (const [place, id] of Object.values(head.views).flatMap(({ tops }) => tops))
      if (!known.has(id)) report(check, place, "The summary that a view shows here is missing.");
    let from: number | undefined = 0;
    while (from !== undefined && from < head.entryCount)
      from = await checkPage(thread, check, head, from);
    if (from === undefined) continue;
    for (const [agent, position] of check.again === undefined ? [] : check.tasks) {
      const value = tasks?.items.get(agent);
      // After a replacement or an erasure, the last task may be unknown (`-`).
      if (value !== "-" && value !== position)
        report(check, Number(position), "The task is not found as the last one of its agent.");
    }
    return [...check.problems.values()];
  }
}

function report({ problems }: Check, position: number, reason: string): void {
  if (!problems.has(position)) problems.set(position, { position, kind: "broken", reason });
}

/** Checks a page. Returns where the next one begins; `undefined` if the end of the log was replaced meanwhile. */
async function checkPage(
  thread: Thread,
  check: Check,
  head: Head,
  from: number,
): Promise<number | undefined> {
  const to = Math.min(from + PAGE, head.entryCount);
  const ask: Ask = { kind: "rows", from, to, limit: PAGE, forward: true };
  const read = await look(thread, [ask, ...LANES.map((lane): Ask => ({ ...ask, lane }))]);
  if (read.head?.cuts !== head.cuts) return undefined;
  const [all, ...lanes] = read.answers;
  if (all?.rows.length === 0) {
    report(check, from, "This row and those behind it are missing.");
    check.again = undefined;
    return head.entryCount;
  }
  const inLane = lanes.map(({ rows }) => new Set(rows.map(({ position }) => position)));
  const loaded: LoadedRow[] = [];
  const rows = new Map((all?.rows ?? []).map((row) => [row.position, row]));
  for (let position = from; position < to; position += 1) {
    const row = rows.get(position);
    if (row === undefined) report(check, position, "The row is missing.");
    else {
      if (LANES.some((lane, nth) => (row.lane === lane) !== inLane[nth]?.has(position)))
        report(check, position, "The row is not found where its kind of entry is looked for.");
      try {
        loaded.push(loadRow(row));
      } catch (error) {
        check.problems.set(position, problemOf(position, error));
      }
    }
  }
  if (loaded.length < to - from) check.again = undefined;
  await checkItems(thread, check, loaded);
  await pause();
  return to;
}

/** Compares rows and their items with those that appending the entries again would write. */
async function checkItems(
  thread: Thread,
  check: Check,
  loaded: readonly LoadedRow[],
): Promise<void> {
  const { turns, tasks } = check;
  const known = { turns, ids: new Map<string, string>() };
  const again =
    check.again && appended(check.again, { entries: loaded, bytes: 0 }, 0, known).change;
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
  for (const [kind, key, value] of again?.put ?? []) {
    if (kind === "a") tasks.set(key, value);
    if (kind !== "t") continue;
    turns.set(key, value);
    if (found?.items.get(key) !== value)
      report(
        check,
        Number.parseInt(value, 10),
        "The turn that begins here is not found by its id.",
      );
  }
}
