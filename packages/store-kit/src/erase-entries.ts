import type { ErasureOptions, ErasureReceipt, HistoryEntry, JsonValue } from "@agent-history/core";
import { isInView, MAX_QUERY_IDS } from "@agent-history/core";

import type { Answer, Ask, Item, ItemKey } from "./driver.ts";
import { NONE, receiptOf, requireFree, sumOf } from "./erase-threads.ts";
import type { ThreadCounts } from "./erase-threads.ts";
import type { Head } from "./head.ts";
import { keyedHash } from "./keyed-hash.ts";
import { threadsBelow } from "./list-threads.ts";
import { keyDestroyed, noThread, tooLarge } from "./store-errors.ts";
import { erasedRow, loadSound } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { viewsOf } from "./summaries.ts";
import { commitChange, inOrder, know, look } from "./thread-access.ts";
import type { HeadChange, Thread } from "./thread-access.ts";
import { stateIn } from "./thread-state.ts";
import { overlaysIn } from "./views.ts";
import type { Overlay } from "./views.ts";

/** Shorter quotes in state, and shorter titles, do not prove that they were copied from an entry. */
const LEAST_QUOTE = 12;
const LEAST_TITLE = 4;

/** Erases entries from a thread and their copies from its family. */
export async function eraseEntries(
  thread: Thread,
  ids: readonly string[],
  { dryRun = false }: ErasureOptions = {},
): Promise<ErasureReceipt> {
  if (ids.length > MAX_QUERY_IDS)
    throw tooLarge("`ids`", MAX_QUERY_IDS, ids.length, { option: "ids" });
  const { head } = await know(thread);
  if (head === undefined) throw noThread();
  return receiptOf(thread, "eraseEntries", await eraseInFamily(thread, ids, dryRun), dryRun);
}

/** Erases entries from all threads that may contain copies. Erases nothing if one of these threads is held. */
export async function eraseInFamily(
  thread: Thread,
  ids: readonly string[],
  dryRun: boolean,
): Promise<ThreadCounts> {
  let counts = NONE;
  for (const one of await familyOf(thread))
    await inOrder(one, [one.threadId], async () => {
      counts = sumOf(counts, await eraseIn(one, ids, dryRun));
    });
  return counts;
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
): Promise<ThreadCounts> {
  const asks: readonly Ask[] = [
    { kind: "items", of: "i", keys: ids, withRows: true },
    { kind: "items", of: "o" },
    { kind: "items", of: "s" },
    { kind: "items", of: "a" },
  ];
  for (;;) {
    const { stamp, head, answers } = await look(thread, asks);
    if (head === undefined || head.isDeleted === true) return NONE;
    requireFree(head);
    if (head.sealed !== undefined) throw keyDestroyed();
    const found = await foundIn(ids, head, answers);
    if (found === undefined) return NONE;
    if (dryRun || (await commitChange(thread, stamp, found.change))) return found.counts;
  }
}

/** What to erase from a thread, and the change that does it; `undefined` if the thread contains nothing to erase. */
async function foundIn(
  ids: readonly string[],
  head: Head,
  [named, summaries, states, tasks]: readonly Answer[],
): Promise<{ readonly counts: ThreadCounts; readonly change: HeadChange } | undefined> {
  const rows = (named?.rows ?? []).map((row) => ({ row, loaded: loadSound(row) }));
  const loaded = rows.map((one) => one.loaded);
  const overlays = overlaysIn(summaries);
  const gone = overlaysOf(overlays, ids, loaded);
  const known = ids.filter((id) => named?.items.has(id) === true);
  if (known.length === 0 && gone.length === 0) return undefined;
  const texts = textsOf(loaded.map(({ entry }) => entry));
  const quoting = quotingIn(states, known, texts, loaded);
  const put: Item[] = [...quoting.put];
  const drop: ItemKey[] = [...quoting.drop];
  const hash = await keyedHash(head.key);
  for (const id of known) {
    drop.push(["i", id]);
    put.push(["e", await hash(id), "1"]);
  }
  for (const { summary } of gone) drop.push(["i", summary.id], ["o", summary.id]);
  const positions = new Set(loaded.map(({ position }) => position));
  // The previous task of the agent is unknown without further reads.
  for (const [agent, value] of tasks?.items ?? [])
    if (positions.has(Number(value))) put.push(["a", agent, "-"]);
  const kept = overlays.filter((one) => !gone.includes(one));
  const revise = (revision: number, view: string): number =>
    gone.some((one) => one.view === view) ? revision + 1 : revision;
  const { title } = head.about;
  const isQuoted = typeof title === "string" && isQuote(title, texts);
  const entries = { entries: rows.length, summaries: gone.length };
  return {
    counts: { threads: 1, ...entries, states: quoting.count },
    change: {
      head: {
        ...head,
        erased: (head.erased ?? 0) + known.length,
        views: gone.length === 0 ? head.views : viewsOf(kept, head.views, 0, revise),
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
function numbersLeft(value: string, quotes: readonly string[]): string | undefined {
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

/** Summaries to erase: those in `ids`, those that cover an erased entry, and those that cover an erased summary. */
function overlaysOf(
  overlays: readonly Overlay[],
  ids: readonly string[],
  rows: readonly LoadedRow[],
): readonly Overlay[] {
  const gone = new Set<string>();
  return overlays.filter(({ summary: { id }, view, runs, under }) => {
    const covers = ({ position, entry }: LoadedRow): boolean =>
      isInView(entry, view) && runs.some(([from, to]) => from <= position && position <= to);
    const isGone = ids.includes(id) || under.some((one) => gone.has(one)) || rows.some(covers);
    if (isGone) gone.add(id);
    return isGone;
  });
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
