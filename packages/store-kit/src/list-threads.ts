import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { HistoryStore, ThreadMetadata } from "@agent-history/core";

import type { DriverList, DriverPage, ListPlace } from "./driver.ts";
import { isPresent, metadataOf, parseHead } from "./head.ts";
import { otherWork } from "./patience.ts";
import type { ThreadAccess } from "./thread-access.ts";

/** How many threads a list asks its driver for at once. */
const LIST_PAGE = 1000;

/** Lists threads. */
export async function listThreads(
  { driver, inside }: ThreadAccess,
  options: NonNullable<Parameters<HistoryStore["list"]>[0]>,
): ReturnType<HistoryStore["list"]> {
  const { prefix = "", user, newestFirst = false, withoutForks = false } = options;
  const untilMs = options.idleSinceMs ?? Infinity;
  const { cursor, limit = 100, signal } = options;
  const threads: ThreadMetadata[] = [];
  let after = cursor === undefined ? undefined : placeIn(cursor);
  if (limit === 0) return { threads: [] };
  do {
    throwIfAborted(signal);
    const page = await driver.list(
      {
        byTime: newestFirst || user !== undefined,
        // A driver may write names so that half a pair is no beginning of it.
        prefix: prefix.replace(/[\uD800-\uDBFF]$/u, ""),
        ...(user !== undefined && { user }),
        ...(after !== undefined && { after }),
        limit: Math.min(limit - threads.length, LIST_PAGE),
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
    after = page.end;
    if (after !== undefined && threads.length < limit) await otherWork();
  } while (after !== undefined && threads.length < limit);
  return { threads, ...(after !== undefined && { cursor: JSON.stringify(after) }) };
}

function placeIn(cursor: string): ListPlace {
  try {
    const [time, name]: readonly unknown[] = JSON.parse(cursor);
    if (typeof time === "number" && typeof name === "string") return [time, name];
  } catch {
    // Not of a store.
  }
  throw new HistoryError("Expected `cursor` to be the one that the previous page returned.", {
    code: "INVALID_OPTION",
    details: { option: "cursor" },
  });
}

/** Gives all threads that a driver lists, with their heads, whatever these say; a page at a time. */
export async function* listedPages(
  { driver }: ThreadAccess,
  wanted: Pick<DriverList, "user" | "prefix">,
  signal: AbortSignal | undefined,
): AsyncGenerator<DriverPage["threads"], undefined> {
  let after: ListPlace | undefined;
  do {
    throwIfAborted(signal);
    const options = { ...wanted, byTime: wanted.user !== undefined, limit: LIST_PAGE };
    const page = await driver.list({ ...options, ...(after && { after }) }, { signal });
    yield page.threads;
    after = page.end;
  } while (after !== undefined);
}

/** The names of all threads that a driver lists, sorted. */
export async function namesOf(
  access: ThreadAccess,
  wanted: Pick<DriverList, "user" | "prefix">,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const page of listedPages(access, wanted, signal))
    for (const [name] of page) names.add(name);
  return [...names].toSorted();
}

/** The names of all threads below one, sorted; those in the making included. */
export async function namesBelow(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const prefix = `${threadId}/`;
  const names = await namesOf(access, { prefix }, signal);
  return names.filter((name) => name.startsWith(prefix));
}
