import { HistoryError, isHistoryError, opaque } from "@agent-history/core";
import type {
  EntrySources,
  HistoryEntry,
  HistoryStore,
  JsonObject,
  JsonValue,
  OpaqueEntry,
} from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

/** A thread as the session that it keeps. */
export interface SessionLog {
  readonly version: number;
  /** Its beginning, items, and operations that were carried out, in order. */
  readonly entries: readonly HistoryEntry[];
  readonly items: readonly KeptItem[];
  /** What was carried out since it was last cleared: the hash of its content, by its id. */
  readonly operations: ReadonlyMap<string, JsonValue>;
}

interface KeptItem {
  readonly entry: HistoryEntry;
  readonly item: JsonObject;
}

const BEGIN = { id: "session:begin", createdAtMs: 0, data: { session: "begin" } };

/** What a thread begins with, so that there is something to continue from. */
function beginEntry(): OpaqueEntry {
  return opaque(BEGIN);
}

/** What a thread begins with after it was cleared: operations of before are forgotten. */
export function clearedEntry(sources: EntrySources): OpaqueEntry {
  return opaque({ data: { session: "cleared" } }, sources);
}

export function itemEntry(item: JsonObject, sources: EntrySources): OpaqueEntry {
  return opaque({ data: { item } }, sources);
}

export function operationEntry(
  operation: string,
  hash: string,
  sources: EntrySources,
): OpaqueEntry {
  return opaque({ data: { operation, hash } }, sources);
}

/** Returns whether an entry says that an operation was carried out. */
export function isOperation(entry: HistoryEntry): boolean {
  return fieldsOf(entry)["operation"] !== undefined;
}

/** The item that an entry keeps; `undefined` for a beginning or an operation. */
export function itemOf(entry: HistoryEntry): JsonObject | undefined {
  const { item, session, operation } = fieldsOf(entry);
  if (isJsonObject(item)) return item;
  if (session !== undefined || operation !== undefined) return undefined;
  throw new HistoryError("Expected the thread of a session; it holds an entry of something else.", {
    code: "THREAD_CORRUPT",
    details: { entryId: entry.id },
  });
}

/** Reads the whole thread. */
async function readLog(store: HistoryStore, threadId: string): Promise<SessionLog> {
  const { entries, problems, version } = await store.read(threadId, { originals: true });
  if (problems.length > 0) {
    throw new HistoryError(`${problems.length} items of the session cannot be read.`, {
      code: "THREAD_CORRUPT",
      details: { count: problems.length },
    });
  }
  const operations = new Map<string, JsonValue>();
  const items: KeptItem[] = [];
  for (const entry of entries) {
    const { operation, hash = null } = fieldsOf(entry);
    if (typeof operation === "string") operations.set(operation, hash);
    const item = itemOf(entry);
    if (item !== undefined) items.push({ entry, item });
  }
  return { version, entries, items, operations };
}

function fieldsOf(entry: HistoryEntry): JsonObject {
  return entry.type === "opaque" && isJsonObject(entry.data) ? entry.data : {};
}

/** From which entry on the log is replaced, and by what. */
export interface LogChange {
  readonly from: HistoryEntry;
  readonly replacement: readonly HistoryEntry[];
}

const MOST_RETRIES = 3;

/** Changes a log in one step; where another has changed it meanwhile, the change is planned again. `undefined` changes nothing. */
export async function changeLog(
  store: HistoryStore,
  threadId: string,
  plan: (log: SessionLog) => LogChange | undefined,
): Promise<void> {
  for (;;) {
    const log = await readLog(store, threadId);
    const change = plan(log);
    if (change === undefined) return;
    const { from, replacement } = change;
    const options = {
      from: from.id,
      expectedVersion: log.version,
      replacement,
      operationId: crypto.randomUUID(),
    };
    try {
      await sentAgain(() => store.replaceSuffix(threadId, options));
      return;
    } catch (error) {
      if (!isHistoryError(error, "VERSION_CONFLICT")) throw error;
    }
  }
}

/** Makes sure that there is an entry to continue from. */
export async function beginLog(store: HistoryStore, threadId: string): Promise<void> {
  await sentAgain(() => store.append(threadId, [beginEntry()]));
}

/** Sends the same again where its answer was lost: the store knows it then. */
export async function sentAgain<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      if (tries > MOST_RETRIES || !isHistoryError(error, "OUTCOME_UNKNOWN")) throw error;
    }
  }
}

/** Operations stand between items: somewhat more than are wanted is read at once. */
const SPARE = 20;

/** The items of a thread, or the newest of them, oldest first. */
export async function newestItems(
  store: HistoryStore,
  threadId: string,
  limit: number | undefined,
): Promise<readonly JsonObject[]> {
  if (limit === undefined) return (await readLog(store, threadId)).items.map(({ item }) => item);
  if (!(limit > 0)) return [];
  for (let maxEntries = 2 * Math.ceil(limit) + SPARE; ; maxEntries *= 4) {
    const query = { clauses: [{}], maxEntries };
    const { entries } = await store.read(threadId, { query, originals: true });
    const items = entries.map(itemOf).filter((item) => item !== undefined);
    if (items.length >= limit || entries.length < maxEntries) return items.slice(-Math.ceil(limit));
  }
}
