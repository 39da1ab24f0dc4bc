import type { ThreadMetadata } from "@agent-history/core";

/** Sorts the newest first, and those of one moment by their ids. */
export function newestKey({
  threadId,
  updatedAtMs,
}: Pick<ThreadMetadata, "threadId" | "updatedAtMs">): string {
  return `${String(Number.MAX_SAFE_INTEGER - updatedAtMs).padStart(16, "0")} ${threadId}`;
}
