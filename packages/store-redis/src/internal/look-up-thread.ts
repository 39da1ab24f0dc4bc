import { HistoryError } from "@agent-history/core";
import type { HistoryView } from "@agent-history/core";
import { countsOf } from "@agent-history/store-kit/indexed";
import type { ThreadAnswer } from "@agent-history/store-kit/indexed";

import type { Lookup } from "./answer-fetch.ts";
import { decodeField, encodeField } from "./encode-key-part.ts";
import type { KnownThread } from "./known-threads.ts";
import { countOf, listOf, textOf } from "./reply.ts";
import { positionOf, readShortThread } from "./short-thread.ts";
import type { ShortThread } from "./short-thread.ts";
import { threadCorrupt, threadDeleted } from "./thread-errors.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import { decodeAncestry } from "./tree.ts";
import type { Ancestor } from "./tree.ts";

/** The form of the keys that this release writes. */
const FORMAT = 1;

/** What a thread is at. */
export interface FoundThread {
  readonly answer: ThreadAnswer;
  readonly exists: boolean;
  /** How many changes its log has had. */
  readonly version: number;
  readonly entryCount: number;
  /** How many suffixes were replaced. */
  readonly replacements: number;
  /** How many summaries it has, and the last order of a commit. */
  readonly overlays: { readonly count: number; readonly order: number };
  readonly lastId: string;
  readonly ancestry: readonly Ancestor[];
  /** That as it is stored; an empty text for none. */
  readonly storedAncestry: string;
  readonly expiresAtMs?: number;
  /** Whether the server knows less than this handle has seen. */
  readonly isRewound: boolean;
  /** The thread itself, where it has no log and no index yet; what was asked of these says nothing then. */
  readonly short: ShortThread | undefined;
}

/** Plans the look at a thread: the state of a view first, then the head, so that the head is never the older. */
export function lookUpThread(
  location: ThreadLocation,
  {
    view,
    seen,
  }: { readonly view: HistoryView | undefined; readonly seen: KnownThread | undefined },
): Lookup<FoundThread> {
  const field = view === undefined ? "" : encodeField(view);
  const views = view === undefined ? [] : [["HMGET", location.views, `r:${field}`, `s:${field}`]];
  const meta = ["HMGET", location.meta, "f", "d", "v", "h", "z", "a", "x", "l", "j", "k", "o"];
  const hasSeen = seen !== undefined && seen.entryCount > 0;
  const ids = hasSeen ? [["HGET", location.ids, seen.lastId]] : [];
  return {
    commands: [...views, meta, ["HGETALL", location.short], ...ids],
    read: (replies) => {
      const [viewRevision, state] = listOf(view === undefined ? [] : replies[0]);
      const [metaReply, shortReply, idReply] = replies.slice(views.length);
      const fields = listOf(metaReply).map(textOf);
      const [format = "0", deleted, written, , lastId = "", ancestry, expiry, inLog] = fields;
      const [left, count, order] = fields.slice(8);
      if (deleted !== undefined) throw threadDeleted();
      if (Number(format) > FORMAT) throw newerFormat(Number(format));
      const entryCount = counted(written);
      const isShort = counted(inLog) === 0;
      if (isShort && entryCount > MOST_SHORT) throw threadCorrupt("meta");
      const short = isShort ? readShortThread(shortReply, entryCount, left) : undefined;
      const head = isShort ? short?.index.head : fields[3];
      const counts = countsOf(head);
      const { version, replacements } = counts;
      if (counts.entryCount !== entryCount) throw threadCorrupt("head");
      const seenAt = hasSeen ? (indexIn(short, seen.lastId) ?? positionOf(textOf(idReply))) : 0;
      // It may have moved to its log in the midst of the round: what comes behind it tells.
      const isWhole = short === undefined || short.lines.size === entryCount;
      return {
        answer: {
          kind: "thread",
          head,
          state: textOf(state),
          viewRevision: view === undefined ? 0 : (countOf(viewRevision ?? replacements) ?? 0),
        },
        exists: written !== undefined,
        version,
        entryCount,
        replacements,
        overlays: { count: counted(count), order: counted(order) },
        lastId,
        ancestry: decodeAncestry(ancestry),
        storedAncestry: ancestry ?? "",
        ...(expiry === undefined ? {} : { expiresAtMs: Number(expiry) }),
        isRewound: isWhole && hasSeen && isBehind(seen, { seenAt, replacements }),
        short,
      };
    },
  };
}

/** No release lets a thread without an index grow to more: a version that no entry stands for would have a read go through positions permanently. */
const MOST_SHORT = 1000;

/** What was replaced since is gone rightly. */
function isBehind(
  seen: KnownThread,
  found: { readonly seenAt: number | undefined; readonly replacements: number },
): boolean {
  if (found.replacements !== seen.replacements) return found.replacements < seen.replacements;
  return found.seenAt !== seen.entryCount - 1;
}

function indexIn(short: ShortThread | undefined, field: string): number | undefined {
  return short?.positions.get(decodeField(field));
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
