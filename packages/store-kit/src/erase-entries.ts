import type {
  Compressor,
  EraseEntriesOptions,
  ErasureReceipt,
  HistoryEntry,
  HistoryView,
  JsonValue,
} from "@agent-history/core";
import { HistoryError, isHistoryError, isInView, MAX_QUERY_IDS } from "@agent-history/core";

import { requireFree } from "./delete-thread.ts";
import type { ThreadCounts } from "./delete-thread.ts";
import type { Answer, Ask, Item, ItemKey, Row } from "./driver.ts";
import { NONE, receiptOf, sumOf } from "./erasure.ts";
import type { Erasing } from "./erasure.ts";
import { keyDestroyed, noThread, parseHead, presentHead, viewStateIn } from "./head.ts";
import type { Head } from "./head.ts";
import { keyedHash } from "./keyed-hash.ts";
import { namesBelow } from "./list-threads.ts";
import { erasedRow, loadSound } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { commitCompaction, overlaysIn, viewsOf } from "./summaries.ts";
import { commitChange, knowThread, lookAt } from "./thread-access.ts";
import type { HeadChange, ThreadAccess } from "./thread-access.ts";
import { stateIn } from "./thread-state.ts";
import { isHidden, mayCover } from "./views.ts";
import type { Overlay } from "./views.ts";

/** Shorter texts of state, and shorter titles, say nothing of where they come from. */
const LEAST_QUOTE = 12;
const LEAST_TITLE = 4;

/** Erases entries from a thread and their copies from its family. */
export async function eraseEntries(
  erasing: Erasing,
  threadId: string,
  ids: readonly string[],
  { dryRun = false, compressor, signal }: EraseEntriesOptions,
): Promise<ErasureReceipt> {
  const { access } = erasing;
  if (ids.length > MAX_QUERY_IDS)
    throw new HistoryError(`Expected at most ${MAX_QUERY_IDS} \`ids\`. Nothing was erased.`, {
      code: "TOO_LARGE",
      details: { option: "ids" },
    });
  const { head } = await knowThread(access, threadId, [], signal);
  if (head === undefined) throw noThread();
  const { counts, lost } = await eraseInFamily(erasing, threadId, ids, dryRun, signal);
  if (compressor !== undefined && !dryRun)
    for (const one of lost) await remakeSummary(erasing, one, compressor, signal);
  return receiptOf(erasing, "eraseEntries", counts, dryRun);
}

/** A summary that went with what it covered. */
interface LostSummary {
  readonly threadId: string;
  readonly overlay: Overlay;
}

/** Erases entries from all threads that may have them. Nothing is erased if one of them is held. */
export async function eraseInFamily(
  { access, inOrder }: Erasing,
  threadId: string,
  ids: readonly string[],
  dryRun: boolean,
  signal: AbortSignal | undefined,
): Promise<{ readonly counts: ThreadCounts; readonly lost: readonly LostSummary[] }> {
  const names = await familyOf(access, threadId, signal);
  let counts = NONE;
  let lost: LostSummary[] = [];
  for (const isDry of dryRun ? [true] : [true, false]) {
    counts = NONE;
    lost = [];
    for (const name of names)
      await inOrder(name, async () => {
        const found = await eraseIn(access, name, ids, isDry, signal);
        counts = sumOf(counts, found?.counts ?? NONE);
        for (const overlay of found?.gone ?? []) lost.push({ threadId: name, overlay });
      });
  }
  return { counts, lost };
}

/** Summarizes once more what is left of what a summary covered, if the view shows it. */
async function remakeSummary(
  { access, inOrder }: Erasing,
  { threadId, overlay: { view, runs } }: LostSummary,
  compressor: Compressor,
  signal: AbortSignal | undefined,
): Promise<void> {
  const shown = await shownBetween(access, threadId, view, runs, signal);
  const outcome = await compressor.compress(shown.entries, { view, tailTokens: 0, signal });
  if (outcome.outcome !== "compressed") return;
  const { summary } = outcome.compaction;
  const { covers = [] } = summary;
  const compaction = { view, summary, covers, expectedViewRevision: shown.viewRevision, signal };
  try {
    await inOrder(
      threadId,
      async () => void (await commitCompaction(access, threadId, compaction)),
    );
  } catch (error) {
    // Others changed the view meanwhile.
    if (!isHistoryError(error, "VERSION_CONFLICT")) throw error;
  }
}

/** What a view shows of rows between positions. */
async function shownBetween(
  access: ThreadAccess,
  threadId: string,
  view: HistoryView,
  runs: Overlay["runs"],
  signal: AbortSignal | undefined,
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly viewRevision: number }> {
  const [from, to] = [runs[0]?.[0] ?? 0, (runs.at(-1)?.[1] ?? -1) + 1];
  const asks: readonly Ask[] = [
    { kind: "rows", from, to, limit: Infinity },
    { kind: "items", of: "o" },
  ];
  const { head: text, answers } = await lookAt(access, threadId, asks, signal);
  const [page, summaries] = answers;
  const state = viewStateIn(presentHead(text), view);
  const isWithin = (at: number): boolean => runs.some(([first, last]) => first <= at && at <= last);
  const rows = (page?.rows ?? [])
    .map(loadSound)
    .filter(
      ({ position, entry, isErased }) =>
        !isErased &&
        isWithin(position) &&
        mayCover(view, entry) &&
        !isHidden(state, view, entry, position),
    );
  const tops = overlaysIn(summaries)
    .filter((one) => one.view === view && isWithin(one.place))
    .filter(({ summary }) => state.tops.some(([, id]) => id === summary.id))
    .map(({ summary, place }) => ({ position: place, entry: summary }));
  const entries = [...tops, ...rows]
    .toSorted((one, other) => one.position - other.position)
    .map(({ entry }) => entry);
  return { entries, viewRevision: state.revision };
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
): Promise<Found | undefined> {
  const asks: readonly Ask[] = [
    { kind: "named", ids },
    { kind: "items", of: "o" },
    { kind: "items", of: "s" },
    { kind: "items", of: "a" },
  ];
  for (;;) {
    const { stamp, head: text, answers } = await lookAt(access, threadId, asks, signal);
    const head = text === undefined ? undefined : parseHead(text);
    if (head === undefined || head.isDeleted === true) return undefined;
    requireFree(head);
    if (head.sealed !== undefined) throw keyDestroyed();
    const found = await foundIn(ids, head, answers);
    if (found === undefined || dryRun) return found;
    const done = await commitChange(access, threadId, stamp, found.change, signal);
    if (done === true) return found;
  }
}

interface Found {
  readonly counts: ThreadCounts;
  readonly gone: readonly Overlay[];
  readonly change: HeadChange;
}

/** What goes of a thread; `undefined` if it has nothing of it. */
async function foundIn(
  ids: readonly string[],
  head: Head,
  [named, summaries, states, tasks]: readonly Answer[],
): Promise<Found | undefined> {
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
  const sources = rows.flatMap(({ loaded: { entry } }) =>
    "sources" in entry ? (entry.sources ?? []).map(({ id }) => JSON.stringify(id)) : [],
  );
  const quotes = [
    // A name, or the end of one such as `entry:<id>`.
    ...known.flatMap((id) => [JSON.stringify(id), `:${JSON.stringify(id).slice(1)}`]),
    ...texts.filter(({ length }) => length >= LEAST_QUOTE),
  ];
  const quoting = [...(states?.items ?? [])].flatMap(([key, value]): readonly Quoting[] => {
    const left = numbersLeft(value, [...quotes, ...sources]);
    if (left === undefined)
      return quotes.some((one) => value.includes(one)) ? [{ key, value }] : [];
    return left === value ? [] : [{ key, value, left }];
  });
  const kept = overlays.filter((one) => !gone.includes(one));
  const { title } = head.about;
  const isQuoted = typeof title === "string" && isQuote(title, texts);
  const hash = await keyedHash(head.key);
  const erased = await Promise.all(known.map(hash));
  return {
    counts: { threads: 1, entries: rows.length, summaries: gone.length, states: quoting.length },
    gone,
    change: changeOf(head, { known, erased, rows, gone, kept, quoting, isQuoted, tasks }),
  };
}

/** A value of state that quotes, and what stays of it. */
interface Quoting {
  readonly key: string;
  readonly value: string;
  readonly left?: string;
}

/** What goes of a thread, and what stays of its summaries. */
interface Going {
  readonly known: readonly string[];
  /** Their hashes. */
  readonly erased: readonly string[];
  readonly rows: readonly { readonly row: Row; readonly loaded: LoadedRow }[];
  readonly gone: readonly Overlay[];
  readonly kept: readonly Overlay[];
  readonly quoting: readonly Quoting[];
  readonly isQuoted: boolean;
  readonly tasks: Answer | undefined;
}

function changeOf(
  head: Head,
  { known, erased, rows, gone, kept, quoting, isQuoted, tasks }: Going,
): HeadChange {
  const positions = new Set(rows.map(({ row }) => row.position));
  const revise = (revision: number, view: string): number =>
    gone.some((one) => one.view === view) ? revision + 1 : revision;
  const removed = quoting.map(({ value }) => Number.parseInt(value, 10));
  return {
    head: {
      ...head,
      erased: (head.erased ?? 0) + known.length,
      views: gone.length === 0 ? head.views : viewsOf(kept, head.views, 0, revise),
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
      ...quoting.filter(({ left }) => left === undefined).map(({ key }): ItemKey => ["s", key]),
    ],
    put: [
      ...erased.map((hash): Item => ["e", hash, "1"]),
      ...quoting.flatMap(({ key, left }): readonly Item[] =>
        left === undefined ? [] : [["s", key, left]],
      ),
      // The last task before it is not known without reading on.
      ...[...(tasks?.items ?? [])].flatMap(([agent, value]): readonly Item[] =>
        positions.has(Number(value)) ? [["a", agent, "-"]] : [],
      ),
    ],
  };
}

/**
 * Of a value that pairs numbers with texts (`[[1, "source"], …]`) only texts go: a number that was shown stays taken (L6). Returns the value itself if nothing goes, `undefined` if it is no such value.
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
