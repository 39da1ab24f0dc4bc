import { HistoryError, isHistoryError, opaque, sameJson } from "@agent-history/core";
import type {
  EntrySources,
  HistoryEntry,
  HistoryStore,
  JsonObject,
  JsonValue,
  OpaqueEntry,
} from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { isJsonObject, storeBatches, unpackBinary } from "@agent-history/format-kit";

import { invalid, packItems, readTransaction } from "./internal/read-transaction.ts";
import type { Transaction } from "./internal/read-transaction.ts";

/** An idempotent change of a session. */
export interface SessionTransactionArgs {
  /** The same for each retry of the transaction. */
  readonly operationId: string;
  readonly transaction:
    | { readonly type: "append_items"; readonly items: readonly object[] }
    | {
        readonly type: "replace_suffix";
        /** The items that the session must end with. */
        readonly expectedSuffix: readonly object[];
        readonly replacement: readonly object[];
      };
}

/** Replaces a call whose arguments were changed, for example by a person. */
export interface SessionMutation {
  readonly type: "replace_function_call";
  readonly callId: string;
  /** Replaces the first call with this id; other calls with it are removed. */
  readonly replacement: object;
}

/** A session of the OpenAI Agents SDK. Items are its `AgentInputItem`s: messages, calls, results, reasoning; they are returned unchanged. Pass it as `session` to `run()`. */
export interface HistorySession {
  readonly acceptsRunContext: true;
  getSessionId(): Promise<string>;
  /** Returns all items, or the newest `limit`, oldest first. */
  getItems<Item extends object>(limit?: number): Promise<Item[]>;
  addItems(items: readonly object[]): Promise<void>;
  popItem<Item extends object>(): Promise<Item | undefined>;
  clearSession(): Promise<void>;
  applyHistoryTransaction(args: SessionTransactionArgs): Promise<void>;
  applyHistoryMutations(args: { readonly mutations: readonly SessionMutation[] }): Promise<void>;
  /** Replaces all items by a compaction and the items that it kept. */
  replaceHistoryWithCompaction(items: readonly object[]): Promise<void>;
}

/** Options of {@link historySession}. */
export interface HistorySessionOptions {
  readonly store: HistoryStore;
  /** The session's id. */
  readonly threadId: string;
  /** Returns the id of an entry. Default: UUIDv7. */
  readonly newId?: (() => string) | undefined;
  readonly now?: (() => number) | undefined;
}

/**
 * Stores a session of the OpenAI Agents SDK in a thread of any store, so that it survives restarts and can continue on another machine. Items are returned unchanged, including duplicates
 * and calls without results; nothing is repaired.
 *
 * Transactions are atomic and applied once: the operation is stored with its items, so that a retry changes nothing, whatever was written in between, and another transaction with the same id is
 * refused. If several processes change a session at once, the later change is computed again on the new state.
 *
 * An item may have at most 1,000,000 bytes as JSON. A transaction, mutation or compaction may replace at most 500 entries: all from the first changed item to the end.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` without a store or a thread. The methods reject with `INVALID_OPTION` for items that cannot be stored and compared (dates, cycles, classes), for an operation
 * id that was used for another transaction, for a suffix that no longer matches, and as the store does: `TOO_LARGE`, `OUTCOME_UNKNOWN` after three retries, `THREAD_DELETED`.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@agent-history/store-kit";
 * import { historySession } from "@agent-history/openai-agents";
 *
 * const session = historySession({ store: memoryStore(), threadId: "session-1" });
 * // await run(agent, "To Rome, please.", { session });
 * await session.addItems([{ role: "user", content: "To Rome, please." }]);
 * await session.getItems();
 * // => [{ role: "user", content: "To Rome, please." }]
 * ```
 */
export function historySession({
  store,
  threadId,
  newId,
  now,
}: HistorySessionOptions): HistorySession {
  if (typeof store?.replaceSuffix !== "function" || typeof threadId !== "string") {
    throw invalid("Expected a `store`, such as memoryStore(), and a `threadId`.");
  }
  const sources = { ...(newId && { newId }), ...(now && { now }) };
  let isBegun = false;
  // A change replaces from an existing entry on, so the thread must have one.
  const begin = async (): Promise<void> => {
    const data = { session: "begin" };
    const first = opaque({ id: "session:begin", createdAtMs: 0, data });
    if (!isBegun) await sentAgain(() => store.append(threadId, [first]));
    isBegun = true;
  };
  const change = async (plan: PlanChange): Promise<void> => {
    await begin();
    await changeLog(store, threadId, plan);
  };
  return {
    acceptsRunContext: true,
    getSessionId: async () => threadId,
    getItems: async (limit) => asGiven(await newestItems(store, threadId, limit)),
    addItems: async (items) => {
      const entries = packItems([...items]).map((item) => itemEntry(item, sources));
      if (entries.length === 0) return;
      await begin();
      for (const batch of storeBatches(entries)) {
        await sentAgain(() => store.append(threadId, batch));
      }
    },
    popItem: async <Item extends object>() => {
      let popped: readonly JsonObject[] = [];
      await change(({ items, entries }) => {
        // Recomputed at each attempt, because another item may be the last one by then.
        popped = items.slice(-1).map(({ item }) => item);
        const from = items.at(-1)?.entry;
        return from && { from, replacement: operationsFrom(entries, from) };
      });
      return asGiven<Item>(popped)[0];
    },
    clearSession: () =>
      change(
        // Earlier operations are forgotten.
        ({ entries: [from] }) =>
          from && { from, replacement: [opaque({ data: { session: "cleared" } }, sources)] },
      ),
    applyHistoryTransaction: async (args) => {
      const transaction = readTransaction(args);
      await change((log) => planTransaction(log, transaction, sources));
    },
    applyHistoryMutations: ({ mutations }) =>
      change((log) => planMutations(log, mutations, sources)),
    replaceHistoryWithCompaction: async (items) => {
      const packed = packItems([...items]);
      const added = packed.map((item) => itemEntry(item, sources));
      await change((log) => changeFrom(log, log.items[0]?.entry, added));
    },
  };
}

function asGiven<Item extends object>(items: readonly JsonObject[]): Item[] {
  const given: readonly object[] = items.map((item) => unpackBinary(item));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each item of the input is returned as an item
  return given as Item[];
}

/** Adds items or replaces the newest ones, and stores the operation with them. */
function planTransaction(
  log: SessionLog,
  { operationId, expected, items, said }: Transaction,
  sources: EntrySources,
): LogChange | undefined {
  const hash = contentHash(said);
  const known = log.operations.get(operationId);
  if (known === hash) return undefined;
  if (known !== undefined) {
    throw invalid("Session history operation was already applied with a different transaction.");
  }
  const suffix = suffixOf(log, expected);
  const done = opaque({ data: { operation: operationId, hash } }, sources);
  const added = [...items.map((item) => itemEntry(item, sources)), done];
  return changeFrom(log, suffix, added);
}

/** Replaces calls. Entries before the first of them are not touched. */
function planMutations(
  log: SessionLog,
  mutations: readonly SessionMutation[],
  sources: EntrySources,
): LogChange | undefined {
  const mutated = mutatedEntries(log, mutations, sources);
  const at = log.entries.findIndex((entry, index) => entry !== mutated[index]);
  const from = log.entries[at];
  return from && { from, replacement: mutated.slice(at) };
}

/** Replaces all entries from `suffix` on. Without a suffix, appends: the last entry is then replaced by itself and the new ones. */
function changeFrom(
  { entries }: SessionLog,
  suffix: HistoryEntry | undefined,
  added: readonly HistoryEntry[],
): LogChange {
  const from = suffix ?? entries.at(-1);
  if (from === undefined) {
    throw new HistoryError("The thread of this session is empty. Add items to the session first.", {
      code: "THREAD_CORRUPT",
    });
  }
  const kept = suffix === undefined ? [from] : operationsFrom(entries, from);
  return { from, replacement: [...kept, ...added] };
}

/** Returns the first entry of the expected suffix. */
function suffixOf(
  { items }: SessionLog,
  expected: readonly JsonObject[],
): HistoryEntry | undefined {
  const suffix = items.slice(items.length - expected.length);
  const isSame =
    suffix.length === expected.length &&
    suffix.every(({ item }, at) => sameJson(item, expected[at] ?? null));
  if (isSame) return suffix[0]?.entry;
  throw invalid("Session history suffix no longer matches the transaction precondition.");
}

/** Returns the operations from an entry on; they are kept when it is replaced. */
function operationsFrom(
  entries: readonly HistoryEntry[],
  from: HistoryEntry,
): readonly HistoryEntry[] {
  return entries.slice(entries.indexOf(from)).filter(isOperation);
}

/** Returns the entries of a log after mutations: the first call with an id is replaced, others with it are removed. */
function mutatedEntries(
  { entries }: SessionLog,
  mutations: readonly SessionMutation[],
  sources: EntrySources,
): readonly HistoryEntry[] {
  return mutations.reduce<readonly HistoryEntry[]>((before, { type, callId, replacement }) => {
    if (type !== "replace_function_call")
      throw invalid("Unsupported session history mutation type.");
    const [packed] = packItems([replacement]);
    let isReplaced = false;
    return before.flatMap((entry) => {
      const item = itemOf(entry);
      if (item?.["type"] !== "function_call" || item["callId"] !== callId) return [entry];
      if (isReplaced || packed === undefined) return [];
      isReplaced = true;
      return [itemEntry(packed, sources)];
    });
  }, entries);
}

/** The content of a session's thread. */
interface SessionLog {
  readonly version: number;
  /** The first entry, items, and applied operations, in order. */
  readonly entries: readonly HistoryEntry[];
  readonly items: readonly { readonly entry: HistoryEntry; readonly item: JsonObject }[];
  /** Operations applied since the last clear: content hash by operation id. */
  readonly operations: ReadonlyMap<string, JsonValue>;
}

function itemEntry(item: JsonObject, sources: EntrySources): OpaqueEntry {
  return opaque({ data: { item } }, sources);
}

/** Returns whether an entry records an applied operation. */
function isOperation(entry: HistoryEntry): boolean {
  return fieldsOf(entry)["operation"] !== undefined;
}

/** Returns the item in an entry; `undefined` for the first entry or an operation. */
function itemOf(entry: HistoryEntry): JsonObject | undefined {
  const { item, session, operation } = fieldsOf(entry);
  if (isJsonObject(item)) return item;
  if (session !== undefined || operation !== undefined) return undefined;
  throw new HistoryError(
    "The thread contains an entry that is not from a session. Use another thread.",
    {
      code: "THREAD_CORRUPT",
      details: { entryId: entry.id },
    },
  );
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
  const items: SessionLog["items"][number][] = [];
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

/** The first replaced entry and its replacement. */
interface LogChange {
  readonly from: HistoryEntry;
  readonly replacement: readonly HistoryEntry[];
}

/** Computes a change of a log; `undefined` changes nothing. */
type PlanChange = (log: SessionLog) => LogChange | undefined;

/** Changes a log in one write. If another process has changed it meanwhile, computes the change again. */
async function changeLog(store: HistoryStore, threadId: string, plan: PlanChange): Promise<void> {
  for (;;) {
    const log = await readLog(store, threadId);
    const change = plan(log);
    if (change === undefined) return;
    const { from, replacement } = change;
    const asked = { from: from.id, replacement, operationId: crypto.randomUUID() };
    try {
      const { version: expectedVersion } = log;
      await sentAgain(() => store.replaceSuffix(threadId, { ...asked, expectedVersion }));
      return;
    } catch (error) {
      if (!isHistoryError(error, "VERSION_CONFLICT")) throw error;
    }
  }
}

const MOST_RETRIES = 3;

/** Retries a write whose outcome is unknown; the store recognizes it by its id. */
async function sentAgain<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      if (tries > MOST_RETRIES || !isHistoryError(error, "OUTCOME_UNKNOWN")) throw error;
    }
  }
}

/** Extra entries to read, because operations are between items. */
const SPARE = 20;

/** Returns the items of a thread, or its newest, oldest first. */
async function newestItems(
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
