import { HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

import { IMPORT_MARK } from "./import-mark.ts";

/** What an import finds: no thread, which it has begun now; one that an earlier try began; or a whole one. */
export type Claim = "begun" | "resumed" | "whole";

/** Which thread is imported. */
export interface ImportTarget {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Begins a thread with a mark that says that its import is not done.
 *
 * @throws `HistoryError` with code `VERSION_CONFLICT` where a thread is named below it already, or another began it in this moment.
 */
export async function claimThread(target: ImportTarget): Promise<Claim> {
  const { store, threadId, signal } = target;
  const cancellation = signal && { signal };
  if ((await store.getState(threadId, IMPORT_MARK, cancellation)) !== undefined) return "resumed";
  if ((await store.getMetadata(threadId, cancellation)) !== undefined) return "whole";
  if (await hasThreadsBelow(target)) throw isThere();
  const mark = { expectedRevision: 0, ...cancellation };
  await store.setState(threadId, IMPORT_MARK, { format: 1 }, mark);
  const metadata = await store.getMetadata(threadId, cancellation);
  if (metadata?.entryCount === 0) return "begun";
  await releaseThread(target);
  throw isThere();
}

/** Takes the mark away: the thread is whole. */
export async function releaseThread({ store, threadId, signal }: ImportTarget): Promise<void> {
  const cancellation = signal && { signal };
  const mark = await store.getState(threadId, IMPORT_MARK, cancellation);
  if (mark === undefined) return;
  const expected = { expectedRevision: mark.revision, ...cancellation };
  await store.setState(threadId, IMPORT_MARK, undefined, expected);
}

/** Says that a thread is there that the export is not of. */
export function isThere(): HistoryError {
  return new HistoryError(
    "Expected no thread of this name, and none named below it, or one that is equal to the export. Choose another name.",
    { code: "VERSION_CONFLICT", details: { expected: "none", actual: "exists" } },
  );
}

async function hasThreadsBelow({ store, threadId, signal }: ImportTarget): Promise<boolean> {
  let cursor: string | undefined;
  do {
    const page = await store.list({
      prefix: `${threadId}/`,
      limit: 1,
      ...(signal && { signal }),
      ...(cursor !== undefined && { cursor }),
    });
    if (page.threads.length > 0) return true;
    ({ cursor } = page);
  } while (cursor !== undefined);
  return false;
}
