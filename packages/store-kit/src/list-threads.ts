import type { ThreadMetadata } from "@agent-history/core";

import type { DriverList, DriverPage, ListPlace } from "./driver.ts";
import { isPresent, metadataOf, parseHead } from "./head.ts";
import { invalidOption, jsonIn } from "./store-errors.ts";
import { patiently, pause } from "./thread-access.ts";
import type { StoreCall, StoreVerb, Thread } from "./thread-access.ts";

/** Most threads that a list requests from its driver at once. */
const LIST_PAGE = 1000;

/** Lists threads. */
export const listThreads: StoreVerb<"list"> = async (call, options = {}) => {
  const { prefix = "", user, newestFirst = false, withoutForks = false } = options;
  const { idleSinceMs: untilMs = Infinity, cursor, limit = 100 } = options;
  const threads: ThreadMetadata[] = [];
  let after = cursor === undefined ? undefined : placeIn(cursor);
  if (limit === 0) return { threads };
  const wanted = {
    byTime: newestFirst || user !== undefined,
    // Drivers may escape lone surrogates, so that half a pair is not a prefix of the whole pair.
    prefix: prefix.replace(/[\uD800-\uDBFF]$/u, ""),
    ...(user !== undefined && { user }),
  };
  for await (const page of listedPages(call, wanted, () => limit - threads.length, after)) {
    for (const [threadId, text] of page.threads) {
      const head = parseHead(text);
      const isWanted = !(withoutForks && head.isFork === true) && head.updatedAtMs <= untilMs;
      if (threadId.startsWith(prefix) && isPresent(head) && isWanted)
        threads.push(metadataOf(threadId, head));
    }
    after = page.end;
    if (after === undefined || threads.length === limit) break;
    await pause();
  }
  return { threads, ...(after !== undefined && { cursor: JSON.stringify(after) }) };
};

function placeIn(cursor: string): ListPlace {
  const place = jsonIn(cursor);
  const [time, name]: readonly unknown[] = Array.isArray(place) ? place : [];
  if (typeof time === "number" && typeof name === "string") return [time, name];
  throw invalidOption("cursor", "Expected `cursor` to be the one that the previous page returned.");
}

/** Yields all threads that a driver lists, with their heads, also deleted and unfinished ones; a page at a time. */
export async function* listedPages(
  call: StoreCall,
  wanted: Omit<DriverList, "limit" | "after">,
  most: () => number = () => Infinity,
  begin?: ListPlace,
): AsyncGenerator<DriverPage, undefined> {
  let after = begin;
  do {
    const page = { ...wanted, limit: Math.min(most(), LIST_PAGE), ...(after && { after }) };
    const found = await patiently("read", call, (options) => call.driver.list(page, options));
    yield found;
    after = found.end;
  } while (after !== undefined);
}

/** All threads below one, sorted, including those that are still being written. */
export async function threadsBelow(thread: Thread): Promise<readonly Thread[]> {
  return threadsIn(thread, { prefix: `${thread.threadId}/`, byTime: false });
}

/** The threads of a user, or those whose names begin with a prefix, sorted. */
export async function threadsIn(
  call: StoreCall,
  wanted: Omit<DriverList, "limit" | "after">,
): Promise<readonly Thread[]> {
  const names = new Set<string>();
  for await (const { threads } of listedPages(call, wanted))
    for (const [name] of threads) if (name.startsWith(wanted.prefix)) names.add(name);
  return [...names].toSorted().map((threadId) => ({ ...call, threadId }));
}
