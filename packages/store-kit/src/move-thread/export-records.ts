import { HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";

import { IMPORT_MARK } from "./import-mark.ts";
import { logPages, requireUnchanged } from "./log-pages.ts";
import type { LogRow, LogSource, LogVersion } from "./log-pages.ts";
import type { MoveOptions } from "./move-options.ts";
import { PLAN_KEYS } from "./plan-keys.ts";
import { HEADER, storedRecord } from "./thread-record.ts";
import type { ThreadRecord } from "./thread-record.ts";

/** How many values of state are listed at once: each may have a megabyte. */
const STATE_PAGE = 10;

/** Gives the records of a thread and of what is named below it. */
export async function* exportRecords(
  store: HistoryStore,
  threadId: string,
  { signal, onProgress }: MoveOptions,
): AsyncGenerator<ThreadRecord> {
  requireName("threadId", threadId);
  const sourceOf = (name: string): LogSource => ({ store, threadId: `${threadId}${name}`, signal });
  const names = await namesBelow(sourceOf(""));
  const versions = new Map<string, LogVersion>();
  const counts = { threads: 0, entries: 0 };
  const onPage = (entries: number): void => {
    counts.entries += entries;
    onProgress?.({ ...counts });
  };
  yield HEADER;
  for (const name of names) {
    const parent = parentOf(name);
    const from = parent !== undefined && versions.has(parent) ? sourceOf(parent) : undefined;
    counts.threads += 1;
    const version = yield* logRecords(name, sourceOf(name), { parent: from, onPage });
    versions.set(name, version);
  }
  for (const [name, { version, isReplaced }] of versions) {
    yield { kind: "beside", name };
    yield* besideRecords(sourceOf(name), isReplaced);
    await requireUnchanged(sourceOf(name), version);
  }
  for (const name of names.toReversed()) {
    const metadata = await store.getMetadata(`${threadId}${name}`, signal && { signal });
    const { title = null, user = null, tags = [] } = metadata ?? {};
    yield { kind: "metadata", name, title, user, tags };
  }
  yield { kind: "end", ...counts };
}

/** The thread that one is a fork of, by its name; `undefined` where no fork is named so. */
export function parentOf(name: string): string | undefined {
  const slash = name.lastIndexOf("/");
  return slash < 0 || slash === name.length - 1 ? undefined : name.slice(0, slash);
}

/** The names of a thread and of those below it, parents first. */
async function namesBelow({ store, threadId, signal }: LogSource): Promise<readonly string[]> {
  const cancellation = signal && { signal };
  if ((await store.getMetadata(threadId, cancellation)) === undefined) {
    throw new HistoryError("Expected the id of a thread of the store.", { code: "NOT_FOUND" });
  }
  const names = new Set([""]);
  let cursor: string | undefined;
  do {
    const page = await store.list({
      prefix: `${threadId}/`,
      ...cancellation,
      ...(cursor !== undefined && { cursor }),
    });
    for (const thread of page.threads) names.add(thread.threadId.slice(threadId.length));
    ({ cursor } = page);
  } while (cursor !== undefined);
  return [...names].toSorted();
}

/** The records of a log, without what it shares with the parent. Returns what was read of it. */
async function* logRecords(
  name: string,
  source: LogSource,
  {
    parent,
    onPage,
  }: { readonly parent: LogSource | undefined; readonly onPage: (entries: number) => void },
): AsyncGenerator<ThreadRecord, LogVersion> {
  const parentRows = parent === undefined ? undefined : rowsOf(parent);
  const pages = logPages(source);
  let shared = 0;
  let at: string | undefined;
  let isShared = parentRows !== undefined;
  const begin = (): ThreadRecord => ({
    kind: "thread",
    name,
    shared,
    ...(at !== undefined && { at }),
  });
  if (!isShared) yield begin();
  for (;;) {
    const page = await pages.next();
    if (page.done === true) {
      if (isShared) yield begin();
      await parentRows?.return(undefined);
      return page.value;
    }
    const records: ThreadRecord[] = [];
    for (const row of page.value) {
      if (isShared && isSame(row, await parentRows?.next())) {
        shared += 1;
        at = row.entry.id;
        continue;
      }
      if (isShared) records.push(begin());
      isShared = false;
      records.push({ kind: "entry", ...row });
    }
    onPage(records.filter(({ kind }) => kind === "entry").length);
    yield* records;
  }
}

async function* rowsOf(source: LogSource): AsyncGenerator<LogRow, undefined> {
  for await (const page of logPages(source)) yield* page;
  return undefined;
}

function isSame(row: LogRow, other: IteratorResult<LogRow, undefined> | undefined): boolean {
  const text = (one: LogRow): string => JSON.stringify(storedRecord({ kind: "entry", ...one }));
  return other?.value !== undefined && text(row) === text(other.value);
}

async function* besideRecords(
  { store, threadId, signal }: LogSource,
  isReplaced: boolean,
): AsyncGenerator<ThreadRecord> {
  const cancellation = signal && { signal };
  for (const summary of await store.listSummaries(threadId, cancellation)) {
    yield { kind: "summary", summary };
  }
  const keys = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await store.listState(threadId, {
      limit: STATE_PAGE,
      ...cancellation,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { key } of page.items) keys.add(key);
    ({ cursor } = page);
  } while (cursor !== undefined);
  for (const key of [...keys].toSorted()) {
    const stored = await store.getState(threadId, key, cancellation);
    const isLeftOut = key === IMPORT_MARK || (isReplaced && key.startsWith(PLAN_KEYS));
    if (stored !== undefined && !isLeftOut) {
      yield { kind: "state", key, value: stored.value };
    }
  }
}
