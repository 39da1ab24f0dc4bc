import type { ItemKey } from "./driver.ts";
import { newHead } from "./head.ts";
import { readableEntry } from "./rows.ts";
import { commitChange, lookAt } from "./thread-access.ts";
import type { ThreadAccess } from "./thread-access.ts";

/** How many rows are removed at once. */
const PAGE = 2000;

/**
 * Deletes a thread: a tombstone first, which every verb meets, then its rows in pages. If the process dies in between, deleting once more removes the rest.
 */
export async function deleteThread(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const last = { kind: "rows", from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1 } as const;
    const { stamp, answers } = await lookAt(access, threadId, [last], signal);
    const rows = (answers[0]?.rows[0]?.position ?? -1) + 1;
    const tombstone = { ...newHead(access.now()), isDeleted: true as const };
    const isShort = rows <= PAGE;
    const head = { ...tombstone, entryCount: isShort ? 0 : rows };
    const done = await commitChange(access, threadId, stamp, { head, wipe: isShort }, signal);
    if (done !== true) continue;
    if (isShort) return;
    await removeRows(access, threadId, rows);
  }
}

/** Removes all but the first rows and items of a tombstone. From here on it is deleted, and no caller gives up. */
async function removeRows(access: ThreadAccess, threadId: string, rows: number): Promise<void> {
  const head = { ...newHead(access.now()), isDeleted: true as const };
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
