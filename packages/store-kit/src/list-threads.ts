import { countOption, throwIfAborted } from "@agent-history/core";
import type { HistoryStore, ThreadMetadata } from "@agent-history/core";

import { isPresent, metadataOf, parseHead } from "./head.ts";
import { otherWork } from "./patience.ts";
import type { ThreadAccess } from "./thread-access.ts";

/** How many threads a list asks its driver for at once. */
export const LIST_PAGE = 1000;

/** Lists threads. */
export async function listThreads(
  { driver, inside }: ThreadAccess,
  options: NonNullable<Parameters<HistoryStore["list"]>[0]>,
): ReturnType<HistoryStore["list"]> {
  const { prefix = "", user, newestFirst = false, withoutForks = false } = options;
  const untilMs = options.idleSinceMs ?? Infinity;
  const { cursor, limit = 100, signal } = options;
  const count = countOption("limit", limit);
  const threads: ThreadMetadata[] = [];
  let at = cursor;
  if (count === 0) return { threads: [] };
  do {
    throwIfAborted(signal);
    const page = await driver.list(
      {
        byTime: newestFirst || user !== undefined,
        // A driver may write names so that half a pair is no beginning of it.
        prefix: prefix.replace(/[\uD800-\uDBFF]$/u, ""),
        ...(user !== undefined && { user }),
        ...(at !== undefined && { cursor: at }),
        limit: Math.min(count - threads.length, LIST_PAGE),
      },
      { signal },
    );
    for (const [threadId, text] of page.threads) {
      const head = parseHead(text);
      const isListed =
        isPresent(head, inside) &&
        !(withoutForks && head.isFork === true) &&
        head.updatedAtMs <= untilMs;
      if (threadId.startsWith(prefix) && isListed) threads.push(metadataOf(threadId, head));
    }
    at = page.cursor;
    if (at !== undefined && threads.length < count) await otherWork();
  } while (at !== undefined && threads.length < count);
  return { threads, ...(at !== undefined && { cursor: at }) };
}

/** The names of all threads below one, sorted; those in the making included. */
export async function namesBelow(
  { driver }: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const prefix = `${threadId}/`;
  const names = new Set<string>();
  let cursor: string | undefined;
  do {
    throwIfAborted(signal);
    const options = { byTime: false, prefix, limit: LIST_PAGE };
    const next = cursor === undefined ? options : { ...options, cursor };
    const page = await driver.list(next, { signal });
    for (const [name] of page.threads) if (name.startsWith(prefix)) names.add(name);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return [...names].toSorted();
}
