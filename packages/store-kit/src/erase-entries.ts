import type { ErasureOptions, ErasureReceipt, HistoryEntry } from "@agent-history/core";
import { HistoryError, isInView, MAX_QUERY_IDS } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";

import { requireFree } from "./delete-thread.ts";
import type { ThreadCounts } from "./delete-thread.ts";
import type { Answer, Ask, Item, ItemKey, Row } from "./driver.ts";
import { NONE, receiptOf, sumOf } from "./erase-threads.ts";
import type { Erasing } from "./erase-threads.ts";
import { parseHead } from "./head.ts";
import type { Head } from "./head.ts";
import { namesBelow } from "./list-threads.ts";
import { noThread } from "./requirements.ts";
import { erasedRow, loadSound } from "./rows.ts";
import type { LoadedRow } from "./rows.ts";
import { overlaysIn, viewsOf } from "./summaries.ts";
import { commitChange, knowThread, lookAt } from "./thread-access.ts";
import type { HeadChange, ThreadAccess } from "./thread-access.ts";
import type { Overlay } from "./views.ts";

/** Shorter texts of state, and shorter titles, say nothing of where they come from. */
const LEAST_QUOTE = 12;
const LEAST_TITLE = 4;

/** Erases entries from a thread and their copies from its family. */
export async function eraseEntries(
  erasing: Erasing,
  threadId: string,
  ids: readonly string[],
  { dryRun = false, signal }: ErasureOptions,
): Promise<ErasureReceipt> {
  const { access, inOrder } = erasing;
  if (!Array.isArray(ids) || ids.some((id) => typeof id !== "string" || id === ""))
    throw invalidIds("INVALID_OPTION", "a list of ids of entries");
  if (ids.length > MAX_QUERY_IDS) throw invalidIds("TOO_LARGE", `at most ${MAX_QUERY_IDS} ids`);
  const { head } = await knowThread(access, threadId, [], signal);
  if (head === undefined) throw noThread();
  const names = await familyOf(access, threadId, signal);
  let total = NONE;
  for (const isDry of dryRun ? [true] : [true, false]) {
    // Nothing is erased if one of them is held.
    total = NONE;
    for (const name of names) {
      let counts = NONE;
      await inOrder(name, async () => {
        counts = await eraseIn(access, name, ids, isDry, signal);
      });
      total = sumOf(total, counts);
    }
  }
  return receiptOf(erasing, "eraseEntries", total, dryRun);
}

/** The threads that may have copies: the one that a fork was made of in the end, and all forks below it. */
async function familyOf(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const headOf = async (name: string): Promise<Head | undefined> => {
    const { head } = await lookAt(access, name, [], signal);
    return head === undefined ? undefined : parseHead(head);
  };
  let root = threadId;
  for (let end = root.lastIndexOf("/"); end > 0 && (await headOf(root))?.isFork === true;) {
    root = root.slice(0, end);
    end = root.lastIndexOf("/");
  }
  const names = new Set([threadId, root]);
  for (const name of await namesBelow(access, root, signal)) {
    const head = await headOf(name);
    if (head?.isFork === true || head?.forming !== undefined) names.add(name);
  }
  return [...names];
}

async function eraseIn(
  access: ThreadAccess,
  threadId: string,
  ids: readonly string[],
  dryRun: boolean,
  signal: AbortSignal | undefined,
): Promise<ThreadCounts> {
  const asks: readonly Ask[] = [
    { kind: "named", ids },
    { kind: "items", of: "o" },
    { kind: "items", of: "s" },
    { kind: "items", of: "a" },
  ];
  for (;;) {
    const { stamp, head: text, answers } = await lookAt(access, threadId, asks, signal);
    const head = text === undefined ? undefined : parseHead(text);
    if (head === undefined || head.isDeleted === true) return NONE;
    requireFree(head);
    const found = foundIn(ids, head, answers);
    if (found === undefined) return NONE;
    if (dryRun) return found.counts;
    const done = await commitChange(access, threadId, stamp, found.change, signal);
    if (done === true) return found.counts;
  }
}

/** What goes of a thread; `undefined` if it has nothing of it. */
function foundIn(
  ids: readonly string[],
  head: Head,
  [named, summaries, states, tasks]: readonly Answer[],
): { readonly counts: ThreadCounts; readonly change: HeadChange } | undefined {
  const rows = (named?.rows ?? []).map((row) => ({ row, loaded: loadSound(row) }));
  const overlays = overlaysIn(summaries);
  const gone = overlaysOf(
    overlays,
    ids,
    rows.map(({ loaded }) => loaded),
  );
  const known = ids.filter((id) => named?.items.has(id) === true);
  if (known.length === 0 && gone.length === 0) return undefined;
  const texts = textsOf(rows.map(({ loaded }) => loaded.entry));
  const quotes = texts.filter(({ length }) => length >= LEAST_QUOTE);
  const quoting = [...(states?.items ?? [])].filter(
    ([, value]) =>
      known.some((id) => value.includes(JSON.stringify(id))) ||
      quotes.some((one) => value.includes(one)),
  );
  const kept = overlays.filter((one) => !gone.includes(one));
  const { title } = head.about;
  const isQuoted = typeof title === "string" && isQuote(title, texts);
  return {
    counts: { threads: 1, entries: rows.length, summaries: gone.length, states: quoting.length },
    change: changeOf(head, { known, rows, gone, kept, quoting, isQuoted, tasks }),
  };
}

/** What goes of a thread, and what stays of its summaries. */
interface Going {
  readonly known: readonly string[];
  readonly rows: readonly { readonly row: Row; readonly loaded: LoadedRow }[];
  readonly gone: readonly Overlay[];
  readonly kept: readonly Overlay[];
  readonly quoting: readonly (readonly [key: string, value: string])[];
  readonly isQuoted: boolean;
  readonly tasks: Answer | undefined;
}

function changeOf(
  head: Head,
  { known, rows, gone, kept, quoting, isQuoted, tasks }: Going,
): HeadChange {
  const positions = new Set(rows.map(({ row }) => row.position));
  const revisions = Object.entries(head.views).map(
    ([view, { revision }]) =>
      [view, revision + (gone.some((one) => one.view === view) ? 1 : 0)] as const,
  );
  const removed = quoting.map(([, value]) => Number.parseInt(value, 10));
  return {
    head: {
      ...head,
      erased: (head.erased ?? 0) + known.length,
      views: gone.length === 0 ? head.views : viewsOf(kept, new Map(revisions)),
      about: isQuoted ? { ...head.about, title: null } : head.about,
      removed: removed.reduce((most, one) => Math.max(most, one), head.removed),
    },
    rewrite: rows.map(({ row, loaded }): Row => erasedRow(loaded, row.lane)),
    drop: [
      ...known.map((id): ItemKey => ["i", id]),
      ...gone.flatMap(({ summary: { id } }): readonly ItemKey[] => [
        ["i", id],
        ["o", id],
      ]),
      ...quoting.map(([key]): ItemKey => ["s", key]),
    ],
    put: [
      ...known.map((id): Item => ["e", contentHash([head.key, id]), "1"]),
      // The last task before it is not known without reading on.
      ...[...(tasks?.items ?? [])].flatMap(([agent, value]): readonly Item[] =>
        positions.has(Number(value)) ? [["a", agent, "-"]] : [],
      ),
    ],
  };
}

/** Summaries that are named, that cover an erased entry, or that cover one of these. */
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

/** The texts of entries, as they stand in JSON. */
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

/** A title is often the beginning of the first message. */
function isQuote(title: string, texts: readonly string[]): boolean {
  const text = JSON.stringify(title).slice(1, -1);
  const begin = text.replace(/(?:…|\.\.\.)$/u, "");
  return texts.some(
    (one) => text.includes(one) || (begin.length >= LEAST_TITLE && one.includes(begin)),
  );
}

function invalidIds(code: "INVALID_OPTION" | "TOO_LARGE", expected: string): HistoryError {
  return new HistoryError(`Expected \`ids\` to be ${expected}. Nothing was erased.`, {
    code,
    details: { option: "ids" },
  });
}
