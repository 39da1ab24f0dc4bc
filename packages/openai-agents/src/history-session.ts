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

/** A change that is made once, however often it is asked for. */
export interface SessionTransactionArgs {
  /** Stays the same where the transaction is tried again. */
  readonly operationId: string;
  readonly transaction:
    | { readonly type: "append_items"; readonly items: readonly object[] }
    | {
        readonly type: "replace_suffix";
        /** What the session must end with. */
        readonly expectedSuffix: readonly object[];
        readonly replacement: readonly object[];
      };
}

/** A call whose arguments were changed, by a person for example. */
export interface SessionMutation {
  readonly type: "replace_function_call";
  readonly callId: string;
  /** Stands instead of the first call of this id; others of this id go. */
  readonly replacement: object;
}

/** A session of the OpenAI Agents SDK. Items are its `AgentInputItem`s: messages, calls, results, reasoning; they come back as they are. Pass it as `session` of `run()`. */
export interface HistorySession {
  readonly acceptsRunContext: true;
  getSessionId(): Promise<string>;
  /** The items, or the newest `limit` of them, oldest first. */
  getItems<Item extends object>(limit?: number): Promise<Item[]>;
  addItems(items: readonly object[]): Promise<void>;
  popItem<Item extends object>(): Promise<Item | undefined>;
  clearSession(): Promise<void>;
  applyHistoryTransaction(args: SessionTransactionArgs): Promise<void>;
  applyHistoryMutations(args: { readonly mutations: readonly SessionMutation[] }): Promise<void>;
  /** Replaces all items by a compaction and what it kept. */
  replaceHistoryWithCompaction(items: readonly object[]): Promise<void>;
}

/** Where a session is kept. */
export interface HistorySessionOptions {
  readonly store: HistoryStore;
  /** The session's id. */
  readonly threadId: string;
  /** Returns the id of an entry. Default: UUIDs of version 7. */
  readonly newId?: (() => string) | undefined;
  readonly now?: (() => number) | undefined;
}

/**
 * Keeps a session of the OpenAI Agents SDK in a thread of any store: what happened is there after a restart and on another machine. Items come back as they are, equal ones and
 * calls without results included; nothing is repaired.
 *
 * Transactions are atomic and are applied once: the operation and its items are written together, so that the same again changes nothing, whatever happened meanwhile, and another one of the same id is
 * refused. A change by several processes at once is planned again where it came second.
 *
 * An item has at most 1,000,000 bytes as JSON. A transaction, a mutation or a compaction replaces at most 500 entries at once: what stands from the first changed item to the end.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` without a store or a thread. The methods reject with `INVALID_OPTION` for items that cannot be stored and compared (dates, cycles, classes), for an operation
 * id that stands for another transaction, for a suffix that no longer matches, and as the store does: `TOO_LARGE`, `OUTCOME_UNKNOWN` after three tries, `THREAD_DELETED`.
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
  // There is always an entry to continue from.
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
        // Planned anew, another one may be the last.
        popped = items.slice(-1).map(({ item }) => item);
        const from = items.at(-1)?.entry;
        return from && { from, replacement: operationsFrom(entries, from) };
      });
      return asGiven<Item>(popped)[0];
    },
    clearSession: () =>
      change(
        // Operations of before are forgotten.
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as an item comes out as one
  return given as Item[];
}

/** Adds items or replaces the newest ones, and notes the operation beside them. */
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

/** Replaces calls; what stands before the first of them is not touched. */
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

/** Replaces what stands from an entry on; without one, adds: then the last entry stands again. */
function changeFrom(
  { entries }: SessionLog,
  suffix: HistoryEntry | undefined,
  added: readonly HistoryEntry[],
): LogChange {
  const from = suffix ?? entries.at(-1);
  if (from === undefined) {
    throw new HistoryError("Expected the thread of a session to have begun.", {
      code: "THREAD_CORRUPT",
    });
  }
  const kept = suffix === undefined ? [from] : operationsFrom(entries, from);
  return { from, replacement: [...kept, ...added] };
}

/** The first entry of the items that a session must end with. */
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

/** What was carried out behind an entry is not forgotten with it. */
function operationsFrom(
  entries: readonly HistoryEntry[],
  from: HistoryEntry,
): readonly HistoryEntry[] {
  return entries.slice(entries.indexOf(from)).filter(isOperation);
}

/** The entries of a log after mutations: the first call of an id is replaced, others of this id go, the rest stays the same. */
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

/** A thread as the session that it keeps. */
interface SessionLog {
  readonly version: number;
  /** Its beginning, items, and operations that were carried out, in order. */
  readonly entries: readonly HistoryEntry[];
  readonly items: readonly { readonly entry: HistoryEntry; readonly item: JsonObject }[];
  /** What was carried out since it was last cleared: the hash of its content, by its id. */
  readonly operations: ReadonlyMap<string, JsonValue>;
}

function itemEntry(item: JsonObject, sources: EntrySources): OpaqueEntry {
  return opaque({ data: { item } }, sources);
}

/** Returns whether an entry says that an operation was carried out. */
function isOperation(entry: HistoryEntry): boolean {
  return fieldsOf(entry)["operation"] !== undefined;
}

/** The item that an entry keeps; `undefined` for a beginning or an operation. */
function itemOf(entry: HistoryEntry): JsonObject | undefined {
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

/** From which entry on the log is replaced, and by what. */
interface LogChange {
  readonly from: HistoryEntry;
  readonly replacement: readonly HistoryEntry[];
}

/** Plans a change of a log; `undefined` changes nothing. */
type PlanChange = (log: SessionLog) => LogChange | undefined;

/** Changes a log in one step; where another has changed it meanwhile, the change is planned again. */
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

/** Sends the same again where its answer was lost: the store knows it then. */
async function sentAgain<Result>(send: () => Promise<Result>): Promise<Result> {
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
