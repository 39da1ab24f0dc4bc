import type { HistoryStore } from "@agent-history/core";

import type {
  Answer,
  Ask,
  Change,
  ItemKind,
  Lane,
  Listing,
  ListPlace,
  Row,
  ThreadDriver,
} from "./driver.ts";
import { breather } from "./thread-access.ts";
import { threadStore } from "./thread-store.ts";
import type { CommonStoreOptions } from "./thread-store.ts";

/**
 * Makes a store that keeps threads in memory, for tests and for sessions that need not outlive the process. It runs the same code as the durable stores, over maps.
 *
 * @param options - `threads` is the map that stores them: stores with the same map share their threads. Default: a new map.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { memoryStore } from "@agent-history/store-kit";
 *
 * const store = memoryStore();
 * await store.append("thread-1", [userMessage({ id: "u1", content: "Hello" })]);
 * (await store.read("thread-1")).entries.map(({ id }) => id);
 * // => ["u1"]
 * ```
 */
export function memoryStore(
  options: CommonStoreOptions & { readonly threads?: MemoryThreads } = {},
): HistoryStore {
  const { threads = new Map() } = options;
  return threadStore(memoryDriver(threads), {
    ...options,
    scope: "@agent-history/store-kit",
    system: "memory",
    describe: async () => ({
      kind: "memory",
      durability: "Nothing survives the end of the process.",
      details: {
        threads: [...threads.values()].filter(({ listed }) => listed !== undefined).length,
      },
    }),
  });
}

interface Thread {
  stamp: number;
  head: string;
  /** The rows of each lane; under `h` all rows. */
  lanes: Readonly<Record<Lane, Row[]>>;
  items: Map<ItemKind, Map<string, string>>;
  listed: Listing | undefined;
}

/** The threads of a memory driver, by name. Drivers with the same map share their data. */
export type MemoryThreads = Map<string, Thread>;

/** Makes a driver that keeps threads in memory. */
export function memoryDriver(threads: MemoryThreads): ThreadDriver {
  // Otherwise a loop of awaited reads would block timers and other writers.
  const turn = breather();
  return {
    read: async (name, asks) => {
      await turn();
      const thread = threads.get(name);
      return {
        stamp: thread?.stamp ?? 0,
        ...(thread && { head: thread.head }),
        answers: asks.map((ask) => answer(thread, ask)),
      };
    },
    commit: async (name, change) => {
      await turn();
      const thread = threads.get(name);
      if (!isMet(thread, change)) return false;
      if (change.gone === true) threads.delete(name);
      else threads.set(name, changed(thread, change));
      return true;
    },
    list: async ({ user, byTime, after, limit }) => {
      const isBefore = (one: ListPlace, other: ListPlace): boolean =>
        one[0] === other[0] ? one[1] < other[1] : one[0] > other[0];
      const found = [...threads]
        .flatMap(([name, { head, listed }]) =>
          listed === undefined || (user !== undefined && listed.user !== user)
            ? []
            : [{ name, head, place: [byTime ? listed.updatedAtMs : 0, name] as const }],
        )
        .filter(({ place }) => after === undefined || isBefore(after, place))
        .toSorted((one, other) => (isBefore(one.place, other.place) ? -1 : 1));
      const page = found.slice(0, limit);
      return {
        threads: page.map(({ name, head }) => [name, head] as const),
        end: found.length > limit ? page.at(-1)?.place : undefined,
      };
    },
    ping: async () => {},
    close: async () => {},
  };
}

function itemsOf(thread: Thread | undefined, kind: ItemKind): ReadonlyMap<string, string> {
  return thread?.items.get(kind) ?? new Map<string, string>();
}

function answer(thread: Thread | undefined, ask: Ask): Answer {
  if (ask.kind === "rows") return { rows: rowsOf(thread, ask), items: new Map() };
  const items = itemsOf(thread, ask.of);
  if (ask.kind === "keys")
    return { rows: [], items: new Map([...items.keys()].map((key) => [key, ""])) };
  const { keys = items.keys(), withRows = false } = ask;
  const found = new Map<string, string>();
  for (const key of keys) {
    const value = items.get(key);
    if (value !== undefined) found.set(key, value);
  }
  if (!withRows) return { rows: [], items: found };
  const positions = new Set([...found.values()].map((value) => Number.parseInt(value, 10)));
  return { rows: [...positions].flatMap((at) => thread?.lanes.h[at] ?? []), items: found };
}

function rowsOf(
  thread: Thread | undefined,
  { from, to, limit, lane, forward = false }: Extract<Ask, { kind: "rows" }>,
) {
  const rows = thread?.lanes[lane ?? "h"] ?? [];
  const [begin, end] = [placeOf(rows, from), placeOf(rows, to)];
  return forward
    ? rows.slice(begin, Math.min(end, begin + limit))
    : rows.slice(Math.max(begin, end - limit), Math.max(begin, end));
}

/** How many rows stand before a position. */
function placeOf(rows: readonly Row[], position: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.position ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isMet(thread: Thread | undefined, { stamp, absent = [] }: Change): boolean {
  return (
    (thread?.stamp ?? 0) === stamp && !absent.some(([kind, key]) => itemsOf(thread, kind).has(key))
  );
}

function changed(
  thread: Thread | undefined,
  { stamp, head, wipe, keep, rewrite = [], rows = [], drop = [], put = [], listed }: Change,
): Thread {
  const next: Thread =
    thread === undefined || wipe === true
      ? { stamp, head, lanes: { m: [], c: [], h: [] }, items: new Map(), listed }
      : thread;
  const written = new Map(rewrite.map((row) => [row.position, row]));
  for (const all of Object.values(next.lanes)) {
    if (keep !== undefined) all.length = placeOf(all, keep);
    if (written.size === 0) continue;
    for (const [at, row] of all.entries()) all[at] = written.get(row.position) ?? row;
  }
  for (const row of rows) {
    next.lanes.h.push(row);
    if (row.lane !== "h") next.lanes[row.lane].push(row);
  }
  for (const [kind, key] of drop) next.items.get(kind)?.delete(key);
  for (const [kind, key, value] of put) {
    const items = next.items.get(kind) ?? new Map<string, string>();
    next.items.set(kind, items.set(key, value));
  }
  return Object.assign(next, { stamp: stamp + 1, head, listed });
}
