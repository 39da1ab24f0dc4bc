import { HistoryError, isInView, MAX_QUERY_IDS, throwIfAborted } from "@agent-history/core";
import type { ErasureReceipt, HistoryEntry, JsonValue } from "@agent-history/core";

import type { Answer, Ask, Item, ItemKey } from "./driver.ts";
import { newHead, parseHead } from "./head.ts";
import type { Head } from "./head.ts";
import { keyedHash } from "./keyed-hash.ts";
import { threadsBelow, threadsIn } from "./list-threads.ts";
import { keyDestroyed, noThread, tooLarge } from "./store-errors.ts";
import { erasedRow, loadRow, loadSound } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { overlaysIn, withoutSummaries } from "./summaries.ts";
import type { Overlay } from "./summaries.ts";
import {
  bury,
  commitChange,
  inOrder,
  know,
  look,
  lookUnread,
  removeThread,
} from "./thread-access.ts";
import type { StoreCall, StoreVerb, Thread, ThreadVerb } from "./thread-access.ts";
import { stateIn } from "./thread-state.ts";

/** What an erasure has erased so far. */
type Counts = Pick<ErasureReceipt, "threads" | "entries" | "summaries" | "states">;
export type ErasedCounts = { -readonly [Name in keyof Counts]: Counts[Name] };

/** Runs an erasure and makes its receipt. */
export async function withReceipt(
  { system: store, now, remains }: StoreCall,
  erasure: ErasureReceipt["erasure"],
  dryRun: boolean,
  run: (counts: ErasedCounts) => Promise<void>,
): Promise<ErasureReceipt> {
  const counts = { threads: 0, entries: 0, summaries: 0, states: 0 };
  await run(counts);
  return { erasure, store, atMs: now(), dryRun, ...counts, remains: dryRun ? [] : await remains() };
}

/** Erases a thread; with `includeForks`, also all threads below it. */
export const eraseThread: ThreadVerb<"delete"> = async (thread, options = {}) => {
  const { includeForks = false, dryRun = false } = options;
  return withReceipt(thread, "delete", dryRun, async (counts) =>
    eraseFound(dryRun, counts, async () => [
      thread,
      ...(includeForks ? await threadsBelow(thread) : []),
    ]),
  );
};

/** Erases all threads of a user and the threads named below them: forks, and threads that do not belong to another user. */
export const eraseUser: StoreVerb<"eraseUser"> = async (call, user, { dryRun = false } = {}) => {
  const found = new Map<string, Thread>();
  const find = async (): Promise<readonly Thread[]> => {
    for (const own of await threadsIn(call, { user, prefix: "", byTime: true }))
      found.set(own.threadId, own);
    for (const one of Array.from(found.values())) {
      for (const below of await threadsBelow(one)) {
        if (found.has(below.threadId)) continue;
        const { head } = await look(below, []);
        const owner = head?.about.user;
        const isOthers = typeof owner === "string" && owner !== user;
        if (head?.isFork === true || (head !== undefined && !isOthers))
          found.set(below.threadId, below);
      }
    }
    return [...found.values()];
  };
  return withReceipt(call, "eraseUser", dryRun, async (counts) => eraseFound(dryRun, counts, find));
};

/** Erases threads, and those that were being written meanwhile: once their source is deleted, forks fail or are found by the second search. */
async function eraseFound(
  dryRun: boolean,
  counts: ErasedCounts,
  find: () => Promise<readonly Thread[]>,
) {
  for (let left = dryRun ? 1 : 2; left > 0; left -= 1)
    await eraseThreads(await find(), dryRun, counts);
}

/**
 * Erases threads in any state, each after its earlier writes. Erases none if one of them is held.
 *
 * @throws `HistoryError` with code `THREAD_HELD`.
 */
export async function eraseThreads(
  threads: readonly Thread[],
  dryRun: boolean,
  counts: ErasedCounts,
): Promise<void> {
  for (const thread of threads) {
    const { stamp, head, answers } = await lookToDelete(thread, 1);
    const [rows, summaries, states] = answers;
    if (stamp !== 0 && head?.isDeleted !== true) counts.threads += 1;
    counts.entries += (rows?.rows[0]?.position ?? -1) + 1;
    counts.summaries += summaries?.items.size ?? 0;
    counts.states += states?.items.size ?? 0;
  }
  for (const thread of dryRun ? [] : threads)
    await inOrder(thread, [thread.threadId], async () => {
      throwIfAborted(thread.signal);
      await deleteThread(thread);
    });
}

/** Reads what a deletion needs, with the last `limit` rows. A thread with an unreadable head can still be deleted. */
async function lookToDelete(thread: Thread, limit: number) {
  const asks: readonly Ask[] = [
    { kind: "rows", from: 0, to: Number.MAX_SAFE_INTEGER, limit },
    { kind: "keys", of: "o" },
    { kind: "keys", of: "s" },
  ];
  const { stamp, head: text, answers } = await lookUnread(thread, asks);
  let head: Head | undefined;
  try {
    head = text === undefined ? undefined : parseHead(text);
  } catch {
    // A damaged head.
  }
  requireFree(head);
  return { stamp, head, answers };
}

/** @throws `HistoryError` with code `THREAD_HELD`. */
function requireFree(head: Head | undefined): void {
  const hold = head?.about.hold;
  if (typeof hold !== "string") return;
  throw new HistoryError(
    `The thread is on hold (${JSON.stringify(hold)}). None of it was erased. Lift the hold with \`setMetadata(thread, { hold: null })\` first.`,
    { code: "THREAD_HELD", details: { hold } },
  );
}

/** Rows removed by one commit. */
const PAGE = 2000;

/**
 * Deletes a thread: stores the hash of its name, which refuses late writes, then removes rows in pages behind a tombstone, which every method checks, and the last page together with the
 * name. If the process dies in between, another delete removes the rest.
 *
 * @throws `HistoryError` with code `THREAD_HELD`.
 */
async function deleteThread(given: Thread) {
  await lookToDelete(given, 1);
  // From here on, the caller can no longer abort.
  const thread = { ...given, signal: undefined };
  await bury(thread, true);
  for (;;) {
    const { stamp, head: known, answers } = await lookToDelete(thread, PAGE);
    const { rows = [] } = answers[0] ?? {};
    const entryCount = rows.length < PAGE ? 0 : (rows[0]?.position ?? 0);
    if (entryCount === 0) {
      if (await removeThread(thread, stamp)) return;
      continue;
    }
    const drop = rows.flatMap((row): readonly ItemKey[] => {
      try {
        return [["i", loadRow(row).entry.id]];
      } catch {
        return [];
      }
    });
    // The tombstone is found by the thread's name and user, so that another delete removes the rest.
    const head: Head = { ...(known ?? newHead(thread.now())), isDeleted: true, entryCount };
    await commitChange(thread, stamp, { head, keep: entryCount, drop });
  }
}

/** Shorter quotes in state, and shorter titles, do not prove that they were copied from an entry. */
const LEAST_QUOTE = 12;
const LEAST_TITLE = 4;

/** Erases entries from a thread and their copies from its family. */
export const eraseEntries: ThreadVerb<"eraseEntries"> = async (
  thread,
  ids,
  { dryRun = false } = {},
) => {
  if (ids.length > MAX_QUERY_IDS)
    throw tooLarge("`ids`", MAX_QUERY_IDS, ids.length, { option: "ids" });
  const { head } = await know(thread);
  if (head === undefined) throw noThread();
  return withReceipt(thread, "eraseEntries", dryRun, async (counts) =>
    eraseInFamily(thread, ids, dryRun, counts),
  );
};

/** Erases entries from all threads that may contain copies. Erases nothing if one of these threads is held. */
export async function eraseInFamily(
  thread: Thread,
  ids: readonly string[],
  dryRun: boolean,
  counts: ErasedCounts,
): Promise<void> {
  for (const one of await familyOf(thread))
    await inOrder(one, [one.threadId], async () => eraseIn(one, ids, dryRun, counts));
}

/** The threads that may contain copies: the original thread of a chain of forks, and all forks below it. @throws `HistoryError` with code `THREAD_HELD`. */
async function familyOf(thread: Thread): Promise<readonly Thread[]> {
  let root = thread;
  for (;;) {
    const end = root.threadId.lastIndexOf("/");
    if (end <= 0 || (await look(root, [])).head?.isFork !== true) break;
    root = { ...thread, threadId: root.threadId.slice(0, end) };
  }
  const family: Thread[] = [];
  for (const one of [root, ...(await threadsBelow(root))]) {
    const { head } = await look(one, []);
    const isNamed = one === root || one.threadId === thread.threadId;
    if (!isNamed && head?.isFork !== true && head?.forming === undefined) continue;
    requireFree(head);
    family.push(one);
  }
  return family;
}

async function eraseIn(
  thread: Thread,
  ids: readonly string[],
  dryRun: boolean,
  counts: ErasedCounts,
) {
  const asks: readonly Ask[] = [
    { kind: "items", of: "i", keys: ids, withRows: true },
    { kind: "items", of: "o" },
    { kind: "items", of: "s" },
    { kind: "items", of: "a" },
  ];
  for (;;) {
    const { stamp, head, answers } = await look(thread, asks);
    if (head === undefined || head.isDeleted === true) return;
    requireFree(head);
    if (head.sealed !== undefined) throw keyDestroyed();
    const found = await foundIn(ids, head, answers);
    if (found === undefined) return;
    if (!dryRun && !(await commitChange(thread, stamp, found.change))) continue;
    counts.threads += 1;
    counts.entries += found.change.rewrite.length;
    counts.summaries += found.summaries;
    counts.states += found.states;
    return;
  }
}

/** What to erase from a thread, and the change that does it; `undefined` if the thread contains nothing to erase. */
async function foundIn(
  ids: readonly string[],
  head: Head,
  [named, stored, states, tasks]: readonly Answer[],
) {
  const rows = (named?.rows ?? []).map((row) => ({ row, loaded: loadSound(row) }));
  const loaded = rows.map((one) => one.loaded);
  const overlays = overlaysIn(stored);
  const isGone = ({ summary: { id }, view, runs }: Overlay): boolean =>
    ids.includes(id) ||
    loaded.some(
      ({ position, entry }) =>
        isInView(entry, view) && runs.some(([from, to]) => from <= position && position <= to),
    );
  const left = withoutSummaries(head, overlays, isGone);
  const summaries = overlays.length - left.kept.length;
  const known = ids.filter((id) => named?.items.has(id) === true);
  if (known.length === 0 && summaries === 0) return undefined;
  const texts = textsOf(loaded.map(({ entry }) => entry));
  const quoting = quotingIn(states, known, texts, loaded);
  const put: Item[] = [...quoting.put];
  const drop: ItemKey[] = [...quoting.drop, ...left.drop];
  const hash = await keyedHash(head.key);
  for (const id of known) {
    drop.push(["i", id]);
    put.push(["e", await hash(id), "1"]);
  }
  const positions = new Set(loaded.map(({ position }) => position));
  // The previous task of the agent is unknown without further reads.
  for (const [agent, value] of tasks?.items ?? [])
    if (positions.has(Number(value))) put.push(["a", agent, "-"]);
  const { title } = head.about;
  const isQuoted = typeof title === "string" && isQuote(title, texts);
  return {
    summaries,
    states: quoting.count,
    change: {
      head: {
        ...head,
        erased: (head.erased ?? 0) + known.length,
        views: left.views,
        about: isQuoted ? { ...head.about, title: null } : head.about,
        removed: Math.max(head.removed, quoting.revision),
      },
      rewrite: rows.map((one) => erasedRow(one.loaded, one.row.lane)),
      drop,
      put,
    },
  };
}

/** The state values that name or quote erased content: those to remove, what is left of those to rewrite, and their highest revision. */
function quotingIn(
  states: Answer | undefined,
  known: readonly string[],
  texts: readonly string[],
  rows: readonly LoadedRow[],
) {
  const quotes = texts.filter(({ length }) => length >= LEAST_QUOTE);
  // An id, or the end of a name such as `entry:<id>`.
  for (const id of known) quotes.push(JSON.stringify(id), `:${JSON.stringify(id).slice(1)}`);
  const sources = rows.flatMap(({ entry }) =>
    "sources" in entry ? (entry.sources ?? []).map(({ id }) => JSON.stringify(id)) : [],
  );
  const drop: ItemKey[] = [];
  const put: Item[] = [];
  let revision = 0;
  for (const [key, value] of states?.items ?? []) {
    const left = numbersLeft(value, [...quotes, ...sources]);
    const isKept = left === undefined ? !quotes.some((one) => value.includes(one)) : left === value;
    if (isKept) continue;
    if (left === undefined) drop.push(["s", key]);
    else put.push(["s", key, left]);
    revision = Math.max(revision, Number.parseInt(value, 10));
  }
  return { count: drop.length + put.length, drop, put, revision };
}

/**
 * In a value that pairs numbers with texts (`[[1, "source"], …]`), removes only the texts: a number that was shown stays taken (L6). Returns the same value if nothing is removed, `undefined` if the value has another form.
 */
function numbersLeft(value: string, quotes: readonly string[]) {
  if (!/^\d+ \[\[/u.test(value)) return undefined;
  const stored = stateIn(value);
  if (stored === undefined || !Array.isArray(stored.value)) return undefined;
  const pairs = stored.value.filter(isNumbered);
  if (pairs.length < stored.value.length) return undefined;
  const isQuoted = (text: string | null): boolean =>
    text !== null && quotes.some((one) => JSON.stringify(text).includes(one));
  if (!pairs.some(([, text]) => isQuoted(text))) return value;
  const left = pairs.map(([number, text]) => [number, isQuoted(text) ? null : text]);
  return `${stored.revision + 1} ${JSON.stringify(left)}`;
}

function isNumbered(value: JsonValue): value is [number, string | null] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [number, text] = value;
  return typeof number === "number" && (typeof text === "string" || text === null);
}

/** The texts of entries, escaped as in JSON. */
function textsOf(entries: readonly HistoryEntry[]): readonly string[] {
  const quotes = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === "string" && value.length >= LEAST_TITLE)
      quotes.add(JSON.stringify(value).slice(1, -1));
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  for (const { id: _, type: __, turnId: ___, ...entry } of entries)
    for (const [name, value] of Object.entries(entry))
      if (name !== "agent" && name !== "taskId" && name !== "phaseId") collect(value);
  return [...quotes];
}

/** Whether a title quotes a text: contains it, or is part of it. Titles are often the beginning of the first message. */
function isQuote(title: string, texts: readonly string[]): boolean {
  const text = JSON.stringify(title).slice(1, -1);
  const begin = text.replace(/(?:…|\.\.\.)$/u, "");
  return texts.some(
    (one) => text.includes(one) || (begin.length >= LEAST_TITLE && one.includes(begin)),
  );
}
