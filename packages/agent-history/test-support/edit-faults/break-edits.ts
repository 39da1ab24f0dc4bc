import { join } from "node:path";

import type { HistoryStore } from "@agent-history/core";

import { openSessionStore } from "../session-faults/open-session-store.ts";
import { runUntilKilled } from "../session-faults/run-until-killed.ts";
import { startPlace } from "../session-faults/start-place.ts";
import type { StoreKind } from "../session-faults/start-place.ts";
import { isReplacement, THREAD, threadAfter } from "./edit-script.ts";
import type { EditedThread } from "./edit-script.ts";

/** What became of the entries, as judged by what the writer printed. */
export interface EditReport {
  /** Steps that were acknowledged. */
  readonly acknowledged: number;
  readonly kills: number;
  /** Kills behind which the next step was a replacement, begun or on its way. */
  readonly atReplacements: number;
  /** Connections that were cut. */
  readonly cut: number;
  /** Entries that are to be there and are not, in the thread and in its forks. */
  readonly lost: number;
  /** Entries that stand there more than once. */
  readonly doubled: number;
  /** Entries that were replaced and are there again. */
  readonly resurrected: number;
  /** Entries in another order than they were written in, or that nobody wrote. */
  readonly others: number;
  /** What `verify` says. */
  readonly broken: number;
}

/** Lets a writer append to a thread, replace its end and fork it, kills it and cuts its connections, and compares the thread with what it is to be. */
export async function breakEdits({
  kind,
  kills,
  cuts,
  everyItems,
}: {
  readonly kind: StoreKind;
  readonly kills: number;
  readonly cuts: number;
  readonly everyItems: number;
}): Promise<EditReport> {
  await using place = await startPlace(kind);
  const script = join(import.meta.dirname, "write-edits.ts");
  let next = 0;
  let atReplacements = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const args = [kind, place.address];
    const faults = { cuts, everyItems, extra: kill };
    next = await runUntilKilled({ script, args, place, first: next, ...faults });
    if (isReplacement(next)) atReplacements += 1;
  }
  const { store, close } = await openSessionStore(kind, place.direct);
  const { before, after } = place.proxy?.cuts ?? { before: 0, after: 0 };
  try {
    // The step after the last may have been carried out.
    const reports = [
      await judge(store, threadAfter(next)),
      await judge(store, threadAfter(next + 1)),
    ];
    const [best] = reports.toSorted((one, other) => wrongs(one) - wrongs(other));
    const cut = before + after;
    return { acknowledged: next, kills, atReplacements, cut, ...(best ?? NOTHING) };
  } finally {
    await close();
  }
}

type Judgement = Pick<EditReport, "lost" | "doubled" | "resurrected" | "others" | "broken">;

const NOTHING: Judgement = { lost: 0, doubled: 0, resurrected: 0, others: 0, broken: 0 };

function wrongs({ lost, doubled, resurrected, others, broken }: Judgement): number {
  return lost + doubled + resurrected + others + broken;
}

async function judge(store: HistoryStore, expected: EditedThread): Promise<Judgement> {
  const logs = [
    [THREAD, expected.ids] as const,
    ...[...expected.forks].map(([as, ids]) => [`${THREAD}/${as}`, ids] as const),
  ];
  let sum = NOTHING;
  for (const [threadId, ids] of logs) {
    const { entries } = await store.read(threadId, { originals: true });
    const found = entries.map(({ id }) => id);
    const problems = await store.verify(threadId);
    const one = judgeLog(found, ids, threadId === THREAD ? expected.replaced : new Set());
    sum = {
      lost: sum.lost + one.lost,
      doubled: sum.doubled + one.doubled,
      resurrected: sum.resurrected + one.resurrected,
      others: sum.others + one.others,
      broken: sum.broken + problems.length,
    };
  }
  return sum;
}

/** The oracle: it knows the ids that are to be there, in order, and those that were replaced. */
export function judgeLog(
  found: readonly string[],
  expected: readonly string[],
  replaced: ReadonlySet<string>,
): Omit<Judgement, "broken"> {
  const there = new Set(found);
  const lost = expected.filter((id) => !there.has(id)).length;
  const doubled = found.length - there.size;
  const resurrected = [...there].filter((id) => replaced.has(id)).length;
  const isEqual =
    found.length === expected.length && found.every((id, nth) => id === expected[nth]);
  const isExplained = lost + doubled + resurrected > 0;
  return { lost, doubled, resurrected, others: isEqual || isExplained ? 0 : 1 };
}
