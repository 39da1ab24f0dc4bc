import { countOption } from "@agent-history/core";
import type { HistoryStore, ThreadMetadata } from "@agent-history/core";
import { requireMetadata } from "@agent-history/core/schema";
import { listInPages } from "@agent-history/store-kit/indexed";

import { SET_METADATA } from "../lua/set-metadata.ts";
import type { Member } from "./newest-index.ts";
import type { Operation } from "./operation.ts";
import { runVerb } from "./run-verb.ts";
import type { StoreContext } from "./store-context.ts";
import { metadataArguments } from "./stored-metadata.ts";
import { threadCorrupt, threadDeleted } from "./thread-errors.ts";
import { foundOf } from "./thread-index.ts";
import type { ThreadPage } from "./thread-index.ts";
import { locateThread } from "./tree-keys.ts";
import { writeThread } from "./write-thread.ts";

type MetadataVerbs = Pick<HistoryStore, "list" | "getMetadata" | "setMetadata">;

/** Makes the verbs about what a list shows of threads. */
export function metadataVerbs(context: StoreContext): MetadataVerbs {
  return {
    getMetadata: (threadId, { signal } = {}) =>
      runVerb(context, { verb: "getMetadata", threadId, signal }, async ({ operation }) =>
        find(context, operation, threadId),
      ),

    setMetadata: (threadId, change, { signal } = {}) =>
      runVerb(context, { verb: "setMetadata", threadId, signal }, async ({ operation }) => {
        const sound = requireMetadata(change);
        const { user } = sound;
        await context.index.enter(operation, threadId, true);
        if (typeof user === "string") await context.newest.assign(operation, threadId, user);
        const location = locateThread(context.namespace, threadId);
        const write = { script: SET_METADATA, args: metadataArguments(sound) };
        const { isNew } = await writeThread(context, operation, { location, write });
        if (isNew === true) await context.index.enter(operation, threadId, false);
        const metadata = await find(context, operation, threadId);
        if (metadata === undefined) throw threadCorrupt("meta");
        // What the index was given before was a guess: the thread's log may not have changed for long.
        await context.newest.place(operation, threadId, {
          updatedAtMs: metadata.updatedAtMs,
          user: metadata.user,
        });
        return metadata;
      }),

    list: ({ prefix = "", user, newestFirst, cursor, limit = 100, signal } = {}) =>
      runVerb(context, { verb: "list", signal }, async ({ operation, counts }) => {
        const page = { prefix, cursor, limit: countOption("limit", limit) };
        const isByTime = newestFirst === true || user !== undefined;
        const listed = isByTime
          ? await listInPages(page, (part) =>
              newestPage(context, operation, { ...page, ...part, user }),
            )
          : await context.index.list(operation, page);
        counts["agent_history.threads"] = listed.threads.length;
        return listed;
      }),
  };
}

async function find(
  { link, namespace }: StoreContext,
  operation: Operation,
  threadId: string,
): Promise<ThreadMetadata | undefined> {
  const [found] = await foundOf({ link, namespace, operation }, [threadId]);
  if (found?.isDeleted === true) throw threadDeleted();
  return found?.metadata;
}

/** How long a name may stand in the index without a thread: one that is being written is entered before it is there. */
const SETTLED_MS = 3_600_000;

/** Reads a page by the index, and sorts it by what the threads say themselves. */
async function newestPage(
  { link, namespace, newest }: StoreContext,
  operation: Operation,
  {
    prefix,
    ...page
  }: {
    readonly prefix: string;
    readonly user: string | undefined;
    readonly cursor: string | undefined;
    readonly limit: number;
  },
): Promise<ThreadPage> {
  if (page.limit === 0) return { threads: [] };
  const { user } = page;
  const { members, ...end } = await newest.read(operation, page);
  const found = await foundOf(
    { link, namespace, operation },
    members.map(({ threadId }) => threadId),
  );
  const strays: Member[] = [];
  const threads: ThreadMetadata[] = [];
  for (const [nth, member] of members.entries()) {
    const metadata = found[nth]?.metadata;
    const isOf = metadata !== undefined && (user ?? metadata.user) === metadata.user;
    if (isOf && metadata.threadId.startsWith(prefix)) threads.push(metadata);
    if (!isOf && member.score < Date.now() - SETTLED_MS) strays.push(member);
  }
  if (strays.length > 0) await newest.drop(operation, user, strays);
  return { threads: threads.toSorted((one, other) => other.updatedAtMs - one.updatedAtMs), ...end };
}
