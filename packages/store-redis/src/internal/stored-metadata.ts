import type { ThreadMetadata } from "@agent-history/core";
import type { SoundMetadata } from "@agent-history/core/schema";
import { decodeTags } from "@agent-history/store-kit/indexed";

import { decodeField, encodeField } from "./encode-key-part.ts";
import { countOf, listOf, textOf } from "./reply.ts";
import { threadCorrupt } from "./thread-errors.ts";

/** The fields of meta that a list shows, with those that tell whether the thread is there. */
export const METADATA_FIELDS = ["v", "d", "c", "u", "t", "w", "y"] as const;

/** What meta says of a thread. */
export interface FoundMetadata {
  readonly isDeleted: boolean;
  /** Missing where the thread is not there. */
  readonly metadata?: ThreadMetadata;
}

/** Reads the fields of meta. */
export function readMetadata(threadId: string, reply: unknown): FoundMetadata {
  const [entries, deleted, created, updated, title, user, tags] = listOf(reply).map(textOf);
  if (deleted !== undefined) return { isDeleted: true };
  if (entries === undefined) return { isDeleted: false };
  const metadata = {
    threadId,
    ...(title !== undefined && { title: decodeField(title) }),
    ...(user !== undefined && { user: decodeField(user) }),
    tags: decodeTags(tags),
    createdAtMs: counted(created),
    updatedAtMs: counted(updated),
    entryCount: counted(entries),
  };
  return { isDeleted: false, metadata };
}

function counted(text: string | undefined): number {
  const count = countOf(text ?? "0");
  if (count === undefined) throw threadCorrupt("meta");
  return count;
}

/** Writes a change as the script takes it. */
export function metadataArguments({ title, user, tags }: SoundMetadata): readonly string[] {
  const written = (text: string | null): string => (text === null ? "-" : `=${encodeField(text)}`);
  return [
    ...(title === undefined ? [] : ["t", written(title)]),
    ...(user === undefined ? [] : ["w", written(user)]),
    ...(tags === undefined ? [] : ["y", `=${JSON.stringify(tags)}`]),
  ];
}
