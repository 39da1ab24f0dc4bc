import type { StoredEntryProblem } from "@agent-history/core";

import type { Ask, Lane, Row } from "./driver.ts";
import { parseHead } from "./head.ts";
import { positionIn } from "./known-entries.ts";
import { BEGINNING, takeEntry } from "./log-state.ts";
import type { LogState } from "./log-state.ts";
import { otherWork } from "./patience.ts";
import { agentKey } from "./query-needs.ts";
import { loadRow, problemOf } from "./rows.ts";
import type { LoadedRow } from "./rows.ts";
import { overlaysIn } from "./summaries.ts";
import { knowThread, lookAt } from "./thread-access.ts";
import type { Call, ThreadAccess } from "./thread-access.ts";
import { ROWS_PAGE } from "./thread-part.ts";

/** Checks a thread against itself, in pages: every row is there and readable, is found by its id, and belongs to the turn that the log gives it; turns and last tasks are found; every summary that a view shows is there and can be read. */
export async function verifyThread(
  access: ThreadAccess,
  threadId: string,
  { signal }: Call = {},
): Promise<readonly StoredEntryProblem[]> {
  for (;;) {
    const { head, answers } = await knowThread(
      access,
      threadId,
      [{ kind: "items", of: "o" }],
      signal,
    );
    if (head === undefined) return [];
    const summaries = new Set(overlaysIn(answers[0]).map(({ summary }) => summary.id));
    const check = newCheck();
    for (const [place, id] of Object.values(head.views).flatMap(({ tops }) => tops))
      if (!summaries.has(id)) check.report(place, "The summary that a view shows here is missing.");
    let from = 0;
    while (from < head.entryCount) {
      const to = Math.min(from + ROWS_PAGE, head.entryCount);
      const ask: Ask = { kind: "rows", from, to, limit: ROWS_PAGE, forward: true };
      const ofLanes = LANES.map((lane): Ask => ({ ...ask, lane }));
      const read = await lookAt(access, threadId, [ask, ...ofLanes], signal);
      if (read.head === undefined || parseHead(read.head).cuts !== head.cuts) break;
      const rows = read.answers[0]?.rows ?? [];
      if (rows.length === 0) {
        check.report(from, "This row and those behind it are missing.");
        return check.problems;
      }
      for (const [nth, lane] of LANES.entries())
        reportLane(lane, rows, read.answers[nth + 1]?.rows ?? [], check.report);
      const loaded = check.take(rows, from, to);
      await requireIds(access, threadId, loaded, check, signal);
      from = to;
      if (from < head.entryCount) await otherWork();
    }
    if (from < head.entryCount) continue;
    const asks: readonly Ask[] = [
      { kind: "items", of: "t" },
      { kind: "items", of: "a" },
    ];
    const read = await lookAt(access, threadId, asks, signal);
    if (read.head !== undefined && parseHead(read.head).cuts !== head.cuts) continue;
    const [turns, tasks] = read.answers;
    check.requireFound(turns?.items ?? new Map(), tasks?.items ?? new Map(), head.entryCount);
    return check.problems;
  }
}

const LANES = ["m", "c", "l"] as const;

/** Reports rows that are not found in their lane, and others that are. */
function reportLane(
  lane: Lane,
  rows: readonly Row[],
  found: readonly Row[],
  report: Check["report"],
): void {
  const there = new Set(found.map(({ position }) => position));
  for (const row of rows)
    if ((row.lane === lane) !== there.has(row.position))
      report(row.position, "The row is not found where its kind of entry is looked for.");
}

async function requireIds(
  access: ThreadAccess,
  threadId: string,
  loaded: readonly LoadedRow[],
  check: Check,
  signal: AbortSignal | undefined,
): Promise<void> {
  const ids = loaded.map(({ entry }) => entry.id);
  const ask: Ask = { kind: "items", of: "i", keys: ids };
  const { answers } = await lookAt(access, threadId, [ask], signal);
  for (const { entry, position, isErased } of loaded)
    if (!isErased && positionIn(answers[0], entry.id) !== position)
      check.report(position, "The entry is not found by its id.");
}

interface Check {
  readonly problems: StoredEntryProblem[];
  readonly report: (position: number, reason: string) => void;
  /** Checks a page of rows; returns those that can be read. */
  readonly take: (rows: readonly Row[], from: number, to: number) => readonly LoadedRow[];
  /** Checks what says where turns began, and where the last tasks of agents stand. */
  readonly requireFound: (
    turns: ReadonlyMap<string, string>,
    tasks: ReadonlyMap<string, string>,
    end: number,
  ) => void;
}

function newCheck(): Check {
  const problems: StoredEntryProblem[] = [];
  const state: LogState = { ...BEGINNING };
  const turns = new Map<string, number>();
  const begun = new Map<string, number>();
  const lastTasks = new Map<string, number>();
  let isSound = true;
  const report = (position: number, reason: string): void =>
    void problems.push({ position, kind: "broken", reason });

  function load(row: Row): LoadedRow | undefined {
    try {
      return loadRow(row);
    } catch (error) {
      problems.push(problemOf(row.position, error));
      return undefined;
    }
  }

  function requireFacts({ entry, position, turn, at, isEarly }: LoadedRow): void {
    const { turnId } = entry;
    const known = turnId === undefined ? undefined : turns.get(turnId);
    const facts = takeEntry(state, entry, position, { turn: known, isEarly });
    if (turnId !== undefined && known === undefined) {
      turns.set(turnId, facts.turn);
      begun.set(turnId, position);
    }
    if (entry.type === "task")
      for (const key of [agentKey(undefined), agentKey(entry.agent.id)])
        lastTasks.set(key, position);
    if (facts.turn !== turn || facts.at !== at)
      report(position, "The row says another turn than the log does.");
  }

  return {
    problems,
    report,
    requireFound: (items, tasks, end) => {
      if (isSound) reportLost({ turns, begun, lastTasks }, { items, tasks, end }, report);
    },
    take: (rows, from, to) => {
      const byPosition = new Map(rows.map((row) => [row.position, row]));
      const loaded: LoadedRow[] = [];
      for (let position = from; position < to; position += 1) {
        const row = byPosition.get(position);
        if (row === undefined) report(position, "The row is missing.");
        const one = row && load(row);
        // Behind a row that cannot be read nobody knows the turns.
        isSound &&= one !== undefined;
        if (one === undefined) continue;
        loaded.push(one);
        if (isSound) requireFacts(one);
      }
      return loaded;
    },
  };
}

interface Places {
  readonly turns: ReadonlyMap<string, number>;
  readonly begun: ReadonlyMap<string, number>;
  readonly lastTasks: ReadonlyMap<string, number>;
}

/** Reports turns and last tasks of the log that the items do not lead to. */
function reportLost(
  { turns, begun, lastTasks }: Places,
  found: {
    readonly items: ReadonlyMap<string, string>;
    readonly tasks: ReadonlyMap<string, string>;
    readonly end: number;
  },
  report: Check["report"],
): void {
  for (const [id, turn] of turns)
    if (found.items.get(id)?.startsWith(`${begun.get(id)} ${turn} `) !== true)
      report(begun.get(id) ?? 0, "The turn that begins here is not found by its id.");
  for (const [key, position] of lastTasks) {
    const value = found.tasks.get(key);
    // Behind a replacement the last task may not be known; or others have written since.
    const isKnown = value === "-" || Number(value) === position || Number(value) >= found.end;
    if (!isKnown) report(position, "The task is not found as the last one of its agent.");
  }
}
