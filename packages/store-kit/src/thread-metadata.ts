import type { MetadataChange, ThreadMetadata } from "@agent-history/core";
import { requireMetadata } from "@agent-history/core/schema";

import { metadataOf } from "./head.ts";
import { beginHead, knowThread, writeThread } from "./thread-access.ts";
import type { Call, Decision, Known, ThreadAccess } from "./thread-access.ts";

/** Reads what a list shows of a thread. */
export async function getMetadata(
  access: ThreadAccess,
  threadId: string,
  { signal }: Call = {},
): Promise<ThreadMetadata | undefined> {
  const { head } = await knowThread(access, threadId, [], signal);
  return head && metadataOf(threadId, head);
}

/** Changes what a list shows of a thread. */
export async function setMetadata(
  access: ThreadAccess,
  threadId: string,
  change: MetadataChange,
  { signal }: Call = {},
): Promise<ThreadMetadata> {
  const about = requireMetadata(change);
  const decide = ({ head = beginHead(access) }: Known): Decision<ThreadMetadata> => {
    const updatedAtMs = Math.max(head.updatedAtMs, access.now());
    const next = { ...head, about: { ...head.about, ...about }, updatedAtMs };
    return { result: metadataOf(threadId, next), change: { head: next } };
  };
  return writeThread(access, threadId, { asks: [], decide, isRecognized: true }, signal);
}
