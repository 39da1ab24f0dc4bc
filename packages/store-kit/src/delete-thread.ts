import { HistoryError } from "@agent-history/core";

import type { Ask, ItemKey } from "./driver.ts";
import { bury } from "./graves.ts";
import { newHead, parseHead } from "./head.ts";
import type { Head } from "./head.ts";
import { patiently } from "./patience.ts";
import { readableEntry } from "./stored-log.ts";
import { commitChange, lookAt } from "./thread-access.ts";
import type { ThreadAccess } from "./thread-access.ts";

/** How many rows are removed at once. */
const PAGE = 2000;

/** What a thread has. */
export interface ThreadCounts {
  readonly threads: number;
  readonly entries: number;
  readonly summaries: number;
  readonly states: number;
}

/** Counts what is in a thread, whatever state it is in. @throws `HistoryError` with code `THREAD_HELD`. */
export async function countThread(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<ThreadCounts> {
  const { head, stamp, answers } = await lookAt(access, threadId, COUNTED, signal);
  const known = readableHead(head);
  requireFree(known);
  const [last, summaries, states] = answers;
  const isThere = stamp !== 0 && known?.isDeleted !== true;
  return {
    threads: isThere ? 1 : 0,
    entries: (last?.rows[0]?.position ?? -1) + 1,
    summaries: summaries?.items.size ?? 0,
    states: states?.items.size ?? 0,
  };
}

const COUNTED: readonly Ask[] = [
  { kind: "rows", from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1 },
  { kind: "keys", of: "o" },
  { kind: "keys", of: "s" },
];

/**
 * Deletes a thread: a tombstone first, which every verb meets, then its rows in pages, then its name. If the process dies in between, deleting once more removes the rest.
 *
 * @throws `HistoryError` with code `THREAD_HELD`.
 */
export async function deleteThread(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let isGone = false; ;) {
    const { stamp, head: text, answers } = await lookAt(access, threadId, COUNTED, signal);
    if (stamp === 0) {
      if (isGone) return;
      // Whoever begins it from here on takes that back; who did before is found by looking once more.
      await bury(access, threadId, true, signal);
      // What is left of it in a list, if an erasure ended before that.
      const forget = async (): Promise<boolean> =>
        access.driver.commit(threadId, { stamp, head: "{}", gone: true });
      await patiently("write", forget, access, signal);
      isGone = true;
      continue;
    }
    const known = readableHead(text);
    requireFree(known);
    const rows = (answers[0]?.rows[0]?.position ?? -1) + 1;
    const tombstone = tombstoneOf(access, known);
    const isShort = rows <= PAGE;
    const head = { ...tombstone, entryCount: isShort ? 0 : rows };
    const done = await commitChange(access, threadId, stamp, { head, wipe: isShort }, signal);
    if (done !== true) continue;
    if (!isShort) {
      await removeRows(access, threadId, rows, tombstone);
      continue;
    }
    // From here on the hash of the name refuses what comes late.
    await bury(access, threadId, true, undefined);
    await commitChange(access, threadId, stamp + 1, { head, gone: true }, undefined);
  }
}

/** By the user, and below its root, the rest is found once more if the process dies. */
function tombstoneOf({ now }: ThreadAccess, known: Head | undefined): Head {
  const { about: { user } = {}, keyName } = known ?? {};
  return {
    ...newHead(now()),
    ...(keyName !== undefined && { keyName }),
    isDeleted: true,
    ...(known?.isFork && { isFork: true }),
    about: user === undefined ? {} : { user },
  };
}

/** A head that cannot be read keeps nobody from deleting its thread. */
function readableHead(text: string | undefined): Head | undefined {
  try {
    return text === undefined ? undefined : parseHead(text);
  } catch {
    return undefined;
  }
}

/** @throws `HistoryError` with code `THREAD_HELD`. */
export function requireFree(head: Head | undefined): void {
  const hold = head?.about.hold;
  if (typeof hold !== "string") return;
  throw new HistoryError(
    `Expected a thread that is not held; it is, by ${JSON.stringify(hold)}. Nothing of it was erased. Lift the hold with \`setMetadata(thread, { hold: null })\` first.`,
    { code: "THREAD_HELD", details: { hold } },
  );
}

/** Removes all but the first rows and items of a tombstone. From here on it is deleted, and no caller gives up. */
async function removeRows(
  access: ThreadAccess,
  threadId: string,
  rows: number,
  head: Head,
): Promise<void> {
  let left = rows;
  for (;;) {
    const keep = Math.max(0, left - PAGE);
    const { stamp, answers } = await lookAt(
      access,
      threadId,
      [{ kind: "rows", from: keep, to: left, limit: PAGE }],
      undefined,
    );
    const drop = (answers[0]?.rows ?? []).flatMap((row): readonly ItemKey[] => {
      const entry = readableEntry(row);
      return entry === undefined ? [] : [["i", entry.id]];
    });
    const change = { head: { ...head, entryCount: keep }, keep, drop };
    if ((await commitChange(access, threadId, stamp, change, undefined)) !== true) continue;
    left = keep;
    if (left <= PAGE) return;
  }
}
