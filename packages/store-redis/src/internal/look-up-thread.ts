import { HistoryError } from "@agent-history/core";
import type { HistoryView } from "@agent-history/core";
import { versionOf } from "@agent-history/store-kit";
import type { ThreadAnswer } from "@agent-history/store-kit";

import type { Lookup } from "./answer-fetch.ts";
import { encodeField } from "./encode-key-part.ts";
import type { KnownThread } from "./known-threads.ts";
import { countOf, listOf, numberOf, textOf } from "./reply.ts";
import { threadCorrupt, threadDeleted } from "./thread-errors.ts";
import type { ThreadPlace } from "./tree-keys.ts";
import { decodeAncestry } from "./tree.ts";
import type { Ancestor } from "./tree.ts";

/** The form of the keys that this release writes. */
const FORMAT = 1;

/** What a thread is at. */
export interface FoundThread {
  readonly answer: ThreadAnswer;
  readonly exists: boolean;
  readonly version: number;
  readonly lastId: string;
  readonly ancestry: readonly Ancestor[];
  readonly expiresAtMs?: number;
  /** Whether the server knows less than this handle has seen. */
  readonly isRewound: boolean;
}

/** Plans the look at a thread: the state of a view first, then the head, so that the head is never the older. */
export function lookUpThread(
  place: ThreadPlace,
  {
    view,
    seen,
  }: { readonly view: HistoryView | undefined; readonly seen: KnownThread | undefined },
): Lookup<FoundThread> {
  const field = view === undefined ? "" : encodeField(view);
  const views = view === undefined ? [] : [["HMGET", place.views, `e:${field}`, `s:${field}`]];
  const meta = ["HMGET", place.meta, "f", "d", "v", "h", "z", "a", "x"];
  const hasSeen = seen !== undefined && seen.version > 0;
  const ids = hasSeen ? [["HGET", place.ids, seen.lastId]] : [];
  return {
    commands: [...views, meta, ...ids],
    read: (replies) => {
      const [epoch, state] = listOf(view === undefined ? [] : replies[0]);
      const fields = listOf(replies[views.length]).map(textOf);
      const [format = "0", deleted, version, head, lastId = "", ancestry, expiry] = fields;
      if (deleted !== undefined) throw threadDeleted();
      if (Number(format) > FORMAT) throw newerFormat(Number(format));
      if (versionOf(head) !== counted(version)) throw threadCorrupt("head");
      const seenAt = textOf(replies[views.length + 1]);
      return {
        answer: { kind: "thread", head, state: textOf(state), epoch: numberOf(epoch) },
        exists: version !== undefined,
        version: counted(version),
        lastId,
        ancestry: decodeAncestry(ancestry),
        ...(expiry === undefined ? {} : { expiresAtMs: Number(expiry) }),
        isRewound: hasSeen && seenAt !== String(seen.version - 1),
      };
    },
  };
}

function counted(field: string | undefined): number {
  const count = countOf(field);
  if (count === undefined) throw threadCorrupt("meta");
  return count;
}

function newerFormat(version: number): HistoryError {
  return new HistoryError(
    `Expected a thread in form ${FORMAT} or older; got form ${version}. Use a newer release.`,
    { code: "UNKNOWN_VERSION", details: { version } },
  );
}
