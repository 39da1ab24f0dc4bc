import {
  HistoryError,
  isHistoryError,
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
} from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";

/** What the stored form adds at most to an entry, in bytes. */
const ENTRY_BYTES = 16;

/**
 * Writes the entries of messages to the end of a thread, in as few batches as the store takes. Returns its version.
 *
 * @throws `HistoryError` with code `VERSION_CONFLICT` if the thread has another version, also where the very same entries are there already.
 */
export async function appendChat(
  store: HistoryStore,
  threadId: string,
  entries: readonly HistoryEntry[],
  { version, signal }: { readonly version: number; readonly signal: AbortSignal | undefined },
): Promise<number> {
  let expectedVersion = version;
  for (const batch of batchesOf(entries)) {
    const written = await store
      .append(threadId, batch, { expectedVersion, ...(signal && { signal }) })
      .catch((cause: unknown): never => {
        if (isHistoryError(cause, "DUPLICATE_ID")) throw conflict(cause);
        throw cause;
      });
    if (written.duplicate) throw conflict(undefined);
    expectedVersion = written.version;
  }
  return expectedVersion;
}

/** The error of a message that was sent twice, or of a chat that went on elsewhere. */
export function conflict(cause: unknown): HistoryError {
  return new HistoryError(
    "Expected the chat to be as it was loaded; it has gone on since, or this message was sent before. Load it again.",
    { code: "VERSION_CONFLICT", cause },
  );
}

function batchesOf(entries: readonly HistoryEntry[]): readonly (readonly HistoryEntry[])[] {
  const encoder = new TextEncoder();
  const batches: HistoryEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = encoder.encode(JSON.stringify(entry)).length + ENTRY_BYTES;
    const last = batches.at(-1);
    if (last && last.length < MAX_BATCH_ENTRIES && bytes + size <= MAX_BATCH_BYTES) {
      last.push(entry);
      bytes += size;
    } else {
      batches.push([entry]);
      bytes = size;
    }
  }
  return batches;
}
