import {
  HistoryError,
  isHistoryError,
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  MAX_ENTRY_BYTES,
  sameJson,
} from "@agent-history/core";
import type { ExpectedVersion, HistoryEntry } from "@agent-history/core";
import { findNonJson, parseEntry, STORED_VERSION } from "@agent-history/core/schema";

import type { Answer, Ask, Item, ItemKey, Row } from "./driver.ts";
import { isPresent, isVersionMet, requireVersion, versionOf } from "./head.ts";
import type { Head } from "./head.ts";
import { keyedHash } from "./keyed-hash.ts";
import { duplicateId, invalidOption, tooLarge } from "./store-errors.ts";
import {
  contentOf,
  idValue,
  laneOfType,
  loadSound,
  positionIn,
  replacedUnder,
  rowOf,
  takeEntry,
} from "./stored-log.ts";
import type { Tokens } from "./stored-log.ts";
import {
  beginHead,
  commitChange,
  inOrder,
  look,
  mayBeSentAgain,
  writeThread,
} from "./thread-access.ts";
import type { HeadChange, Known, Thread, ThreadVerb } from "./thread-access.ts";

/** A validated batch, ready to be written. */
export interface PreparedBatch {
  readonly entries: readonly PreparedEntry[];
  /** Total UTF-8 bytes of all `json`. */
  readonly bytes: number;
}

/** An entry and its stored form. */
export interface PreparedEntry {
  readonly entry: HistoryEntry;
  /** The stored form. */
  readonly json: string;
  /** Counts by counter id, stored beside the entry. */
  readonly tokens?: Tokens;
}

/** The result of an append. */
export interface Appended {
  readonly version: number;
  readonly duplicate: boolean;
}

/** Fewest rows between two rows that store the log state. */
const STATE_EVERY = 64;
/** Such a row exists within this many rows before any position, as a batch has at most 500 entries. */
export const STATE_WITHIN: number = STATE_EVERY + 500;

/** Most entries of appends that are written as one batch. */
const MOST_TOGETHER = 100;

/** Appends that wait for the same write of their thread. */
export interface WaitingAppends {
  /** How many entries they have; `Infinity` if none may join. */
  size: number;
  readonly appends: WaitingAppend[];
  readonly work: Promise<void>;
}

interface WaitingAppend {
  readonly prepare: () => Promise<PreparedBatch>;
  /** Missing if the write of all failed before this append was tried. */
  outcome?: () => Appended;
}

/** Appends entries after the earlier writes to the thread. Appends that wait for the same write are written together, unless another write is queued behind them. */
export const appendEntries: ThreadVerb<"append"> = async (thread, entries, options = {}) => {
  const { threadId, waiting, queues, counts } = thread;
  const { expectedVersion = "any", tokens } = options;
  // The caller may change its array after the call.
  const given = [...entries];
  const mayJoin = expectedVersion === "any" && thread.signal === undefined && given.length > 0;
  const size = mayJoin ? given.length : Infinity;
  const last = queues.get(threadId);
  let group = last && waiting.get(last);
  if (group === undefined || group.size + size > MOST_TOGETHER) {
    const appends: WaitingAppend[] = [];
    const begun: WaitingAppends = {
      size: 0,
      appends,
      work: inOrder(thread, [threadId], async () => {
        begun.size = Infinity;
        await writeAppends(thread, appends, expectedVersion);
      }),
    };
    const place = queues.get(threadId);
    if (place !== undefined) waiting.set(place, begun);
    group = begun;
  }
  const own: WaitingAppend = { prepare };
  group.size += size;
  group.appends.push(own);
  try {
    await group.work;
  } catch (error) {
    own.outcome ??= failing(error);
  }
  const result = (own.outcome ?? failing(undefined))();
  counts["agent_history.duplicate"] = result.duplicate;
  return result;

  async function prepare(): Promise<PreparedBatch> {
    const batch = prepareBatch(await changedBefore(thread, given), { tokens });
    counts["agent_history.entries"] = batch.entries.length;
    counts["agent_history.bytes"] = batch.bytes;
    return batch;
  }
};

function failing(reason: unknown): () => never {
  return () => {
    throw reason;
  };
}

/** Writes appends: as one batch if possible, otherwise one by one. */
async function writeAppends(
  thread: Thread,
  appends: readonly WaitingAppend[],
  expected: ExpectedVersion,
) {
  const prepared = appends.map(async (append) => {
    try {
      return [{ append, batch: await append.prepare() }];
    } catch (error) {
      append.outcome = failing(error);
      return [];
    }
  });
  const valid = (await Promise.all(prepared)).flat();
  const entries = valid.flatMap(({ batch }) => batch.entries);
  const bytes = valid.reduce((sum, { batch }) => sum + batch.bytes, 0);
  const isOne =
    valid.length > 1 &&
    bytes <= MAX_BATCH_BYTES &&
    new Set(entries.map(({ entry }) => entry.id)).size === entries.length;
  let together: Appended | undefined;
  try {
    if (isOne) together = await appendBatch(thread, { entries, bytes });
  } catch (error) {
    // An entry of one of them is known or was erased.
    if (!isHistoryError(error, "DUPLICATE_ID") && !isHistoryError(error, "ENTRY_ERASED"))
      throw error;
  }
  let left = entries.length;
  for (const { append, batch } of valid) {
    left -= batch.entries.length;
    try {
      const { version, duplicate } = together ?? (await appendBatch(thread, batch, expected));
      const isBefore = together !== undefined && !duplicate;
      const own = { version: isBefore ? version - left : version, duplicate };
      append.outcome = () => own;
    } catch (error) {
      if (mayBeSentAgain(error)) throw error;
      append.outcome = failing(error);
    }
  }
}

/** Appends one batch. First tries the last seen head without a read: the conditions of the commit make that safe. */
export async function appendBatch(
  thread: Thread,
  batch: PreparedBatch,
  expected: ExpectedVersion = "any",
): Promise<Appended> {
  const isEmpty = batch.entries.length === 0;
  const last = thread.seen.get(thread.threadId);
  const isMet =
    last !== undefined &&
    last.head.erased === undefined &&
    isPresent(last.head, thread.inside) &&
    isVersionMet(expected, versionOf(last.head));
  if (isMet && !isEmpty) {
    const { result, change } = appended(last.head, batch, thread.now());
    if (await commitChange(thread, last.stamp, change)) return result;
  }
  return writeThread<Appended>(thread, asksOf(batch), async ({ head, answers }) => {
    const version = versionOf(head);
    await requireNotErased(thread, head, batch);
    if (head !== undefined && (await isKnownBatch(batch, head, answers)))
      return { result: { version: version ?? 0, duplicate: true }, change: { head } };
    requireVersion(expected, version);
    if (isEmpty) return { result: { version: version ?? 0, duplicate: false } };
    const [named, turns] = answers;
    const found = { ids: named?.items, turns: turns?.items };
    return appended(head ?? beginHead(thread), batch, thread.now(), found);
  });
}

/**
 * Throws if an entry of the batch was erased before.
 *
 * @throws `HistoryError` with code `ENTRY_ERASED`.
 */
export async function requireNotErased(
  thread: Thread,
  head: Head | undefined,
  { entries }: PreparedBatch,
): Promise<void> {
  if (head?.erased === undefined) return;
  const hash = await keyedHash(head.key);
  const ids = new Map<string, string>();
  for (const { entry } of entries) ids.set(await hash(entry.id), entry.id);
  const { answers } = await look(thread, [{ kind: "items", of: "e", keys: [...ids.keys()] }]);
  const [found] = answers[0]?.items.keys() ?? [];
  if (found === undefined) return;
  throw new HistoryError(
    "An entry with this id was erased. Nothing was written. Do not send it again.",
    { code: "ENTRY_ERASED", details: { entryId: ids.get(found) } },
  );
}

/** The lookups of an append: the ids and turns of the batch. */
export function asksOf({ entries }: PreparedBatch): readonly Ask[] {
  const ids = entries.map(({ entry }) => entry.id);
  // A turn without a `turnId` takes the id of its first entry.
  const turns = new Set(entries.map(({ entry: { id, turnId = id } }) => turnId));
  return [
    { kind: "items", of: "i", keys: ids, withRows: true },
    { kind: "items", of: "t", keys: [...turns] },
  ];
}

type Items = Answer["items"] | undefined;

/**
 * Computes the change that appends a batch to a log.
 *
 * @param known - Items of the batch's ids, whose hashes of replaced content are kept, and of its turns. Without them, all ids and turns are assumed to be new: the `absent` conditions of the change make that safe.
 */
export function appended(
  head: Head,
  batch: PreparedBatch,
  now: number,
  { ids, turns }: { readonly ids?: Items; readonly turns?: Items } = {},
): { readonly result: Appended; readonly change: HeadChange } {
  const log = { ...head.log };
  const numbers = new Map<string, number>();
  for (const [turn, value] of turns ?? []) numbers.set(turn, Number(value.split(" ")[1]));
  const messages = new Set<string>();
  const rows: Row[] = [];
  const put: Item[] = [];
  const absent: ItemKey[] = [];
  let position = head.entryCount;
  for (const { entry, json, tokens } of batch.entries) {
    const { id, type } = entry;
    const facts = takeEntry(log, entry, position, numbers);
    const { turnId, turn, isNew } = facts;
    if (isNew && turnId !== undefined) {
      absent.push(["t", turnId]);
      put.push(["t", turnId, `${position} ${turn} ${log.start}`]);
      numbers.set(turnId, turn);
    }
    if (type === "task")
      put.push(["a", "*", String(position)], ["a", `=${entry.agent.id}`, String(position)]);
    if (type === "user_message") messages.add(id);
    // An erased entry of a log that is copied has no id.
    if (id !== "") {
      absent.push(["i", id]);
      put.push(["i", id, idValue(position, replacedUnder(ids?.get(id)))]);
    }
    const isLast = rows.length === batch.entries.length - 1;
    const keepsState = isLast && position - log.saved >= STATE_EVERY;
    if (keepsState) log.saved = position;
    const stored = entry.turnId === turnId ? json : withTurn(json, turnId);
    const beside = { json: stored, tokens, state: keepsState ? { ...log } : undefined };
    // An attachment whose message does not precede it in the batch may be far from it, so it goes to lane `m`, as pinned entries do.
    const isApart = entry.type === "attachment" && !messages.has(entry.messageId);
    const lane = isApart || entry.pinned === true ? "m" : laneOfType(type);
    rows.push(rowOf(position, lane, facts, beside));
    position += 1;
  }
  const updatedAtMs = Math.max(head.updatedAtMs, now);
  const next: Head = { ...head, entryCount: position, log, updatedAtMs };
  return {
    result: { version: versionOf(next) ?? 0, duplicate: false },
    change: { head: next, rows, absent, put },
  };
}

/** A stored form with the id of its turn, as its last field. */
function withTurn(json: string, turnId: string | undefined): string {
  return `${json.slice(0, -1)},"turnId":${JSON.stringify(turnId)}}`;
}

/**
 * Returns whether the whole batch is already in the thread.
 *
 * @throws `HistoryError` with code `DUPLICATE_ID` if only a part of it is stored, or an id belongs to another entry.
 */
async function isKnownBatch({ entries }: PreparedBatch, head: Head, [named]: Known["answers"]) {
  const rows = new Map((named?.rows ?? []).map((row) => [row.position, row]));
  const known = entries.filter(({ entry }) => named?.items.has(entry.id) === true);
  for (const { entry, json } of known)
    if (!(await isSame(entry, json)))
      throw duplicateId(entry.id, "is already used by another entry of the thread");
  const [first] = known;
  if (first === undefined || known.length === entries.length) return first !== undefined;
  throw duplicateId(
    first.entry.id,
    "is already stored, but other entries of its batch are not; resend each batch unchanged",
  );

  async function isSame({ id, turnId }: HistoryEntry, json: string): Promise<boolean> {
    const row = rows.get(positionIn(named, id) ?? -1);
    // The stored form has the id of its turn.
    const parse = turnId === undefined ? contentOf : JSON.parse;
    if (row !== undefined && sameJson(parse(loadSound(row).json), parse(json))) return true;
    const replaced = replacedUnder(named?.items.get(id));
    if (replaced.length === 0) return false;
    const own = await (await keyedHash(head.key))(contentOf(json));
    return replaced.some(([, hash]) => hash === own);
  }
}

/** Lets `beforeStore` change entries that are about to be written. */
export async function changedBefore<Entry extends HistoryEntry>(
  { beforeStore, threadId }: Thread,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  if (beforeStore === undefined) return entries;
  return Promise.all(
    entries.map(async (entry) => {
      const isSameKind = (one: HistoryEntry): one is Entry =>
        one.id === entry.id && one.type === entry.type;
      let [what, cause]: [string, unknown] = ["its result has another id or type", undefined];
      try {
        const changed = await beforeStore(entry, { threadId });
        if (isSameKind(changed)) return changed;
      } catch (error) {
        [what, cause] = ["it threw", error];
      }
      throw new HistoryError(
        `Expected \`beforeStore\` to return an entry with the same id and type; ${what}. Nothing was written.`,
        { code: "STEP_FAILED", details: { step: "beforeStore", entryId: entry.id }, cause },
      );
    }),
  );
}

/** The schema refuses deeper values. */
const MAX_DEPTH = 256;

/** Prefix of the stored form. */
const VERSIONED = `{"v":${STORED_VERSION},`;

/**
 * Validates and encodes a batch. Linear in its bytes.
 *
 * @param options - `tokens` are counts to store with the entries, by counter id, in entry order; `allowsViews` accepts summaries of a view, which are never part of a log.
 * @throws `HistoryError` with code `TOO_LARGE` if it exceeds a limit, `DUPLICATE_ID` if an id occurs twice,
 * `INVALID_ENTRY` if an entry does not match its type.
 */
export function prepareBatch(
  entries: readonly HistoryEntry[],
  options: {
    readonly tokens?: ReadonlyMap<string, readonly number[]> | undefined;
    readonly allowsViews?: boolean;
  } = {},
): PreparedBatch {
  const { tokens, allowsViews = false } = options;
  if (entries.length > MAX_BATCH_ENTRIES)
    throw tooLarge("entries in a batch", MAX_BATCH_ENTRIES, entries.length);
  for (const counts of tokens?.values() ?? [])
    if (counts.length !== entries.length || !counts.every((one) => one >= 0 && one < Infinity))
      throw invalidOption(
        "tokens",
        `Expected \`tokens\` to have one count for each of the ${entries.length} entries. Nothing was written.`,
      );
  const seen = new Set<string>();
  const prepared: PreparedEntry[] = [];
  let [length, bytes] = [0, 0];
  for (const [nth, given] of entries.entries()) {
    // Refuses entries whose texts alone are too long before they are serialized.
    const own = textLength(given, 0);
    if (own > MAX_ENTRY_BYTES)
      throw tooLarge("bytes in an entry", MAX_ENTRY_BYTES, own, { entryId: given.id });
    length += own;
    if (length > MAX_BATCH_BYTES) throw tooLarge("bytes in a batch", MAX_BATCH_BYTES, length);
    const entry = parseGiven(given);
    const { id } = entry;
    if (!allowsViews && entry.type === "summary" && entry.view !== undefined)
      throw new HistoryError(
        "Summaries of a view cannot be appended. Add them with commitCompaction. Nothing was written.",
        { code: "INVALID_ENTRY", details: { path: "view", entryId: id } },
      );
    if (seen.has(id)) throw duplicateId(id, "appears twice in the batch");
    seen.add(id);
    const text = JSON.stringify(entry);
    // Counts before concatenating: counting a concatenated string copies it.
    // The turn id does not count, as an append adds one.
    const turn = entry.turnId === undefined ? 1 : utf8Bytes(withTurn("", entry.turnId));
    const size = VERSIONED.length + utf8Bytes(text) - turn;
    if (size > MAX_ENTRY_BYTES)
      throw tooLarge("bytes in an entry", MAX_ENTRY_BYTES, size, { entryId: id });
    bytes += size;
    const counts = Array.from(tokens ?? [], ([counter, all]) => [counter, all[nth] ?? 0] as const);
    prepared.push({ entry, json: VERSIONED + text.slice(1), tokens: counts });
  }
  if (bytes > MAX_BATCH_BYTES) throw tooLarge("bytes in a batch", MAX_BATCH_BYTES, bytes);
  return { entries: prepared, bytes };
}

/** Validates an entry as JSON stores it. If JSON would lose a value, the error names its path, which the schema's error does not. */
function parseGiven(given: HistoryEntry): HistoryEntry {
  let stated: unknown = given;
  try {
    // JSON drops fields that are `undefined`.
    if (Object.values(given).includes(undefined))
      stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  } catch {
    // `parseEntry` refuses values that cannot be read.
  }
  try {
    return parseEntry(stated);
  } catch (error) {
    const found = findNonJson(stated);
    if (!isHistoryError(error) || found === undefined || found.path === "") throw error;
    const { path, kind } = found;
    throw new HistoryError(`Expected JSON at \`${path}\`; got ${kind}. Nothing was written.`, {
      code: "INVALID_ENTRY",
      details: { ...error.details, path },
    });
  }
}

/** Sums up the code units of all strings in an entry, without its turn id: a lower bound of the bytes of its JSON. Values that cannot be read count 0. */
function textLength(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return 0;
  let length = 0;
  try {
    for (const [name, part] of Object.entries(value)) {
      if (depth > 0 || name !== "turnId") length += textLength(part, depth + 1);
      if (length > MAX_ENTRY_BYTES) break;
    }
  } catch {
    // The schema refuses it later.
  }
  return length;
}

const encoder = new TextEncoder();

/** Counts the UTF-8 bytes of a text. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}
