import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { createHistoryManager } from "@agent-history/history-manager";
import { createReducer } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";

import { count, milliseconds, takeTurns, timed, timingCell } from "../harness.ts";
import type { Measured, RunOptions } from "../harness.ts";
import { prose } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import { withStores } from "../stores/store-systems.ts";
import type { Backend, OpenThread, StorePlaces } from "../stores/store-systems.ts";

/** About what a window of 32,000 tokens holds. */
const NEWEST = 400;
/** Entries in a batch while a conversation is filled. */
const FILL = 500;
const OURS = "agent-history";

/** A stored conversation. */
type Stored = Pick<OpenThread, "append" | "close"> & {
  /** Reads the prompt of the next call. */
  readonly prompt: () => Promise<unknown>;
};

/** The prompt of one more turn, from where the conversation is stored; all systems of one length take turns. */
export async function measureManager({ isQuick, withPeers }: RunOptions): Promise<Measured> {
  const medians = new Map<string, number>();
  const rows = await withStores(withPeers, async ({ backends, openOwn, others }) => {
    const systems = [
      ...backends.map((backend) => ({
        name: OURS,
        backend,
        leavesOut: "–",
        open: async (thread: string) => managed(backend, thread, openOwn),
      })),
      ...others.map((system) => ({
        ...system,
        leavesOut: "the fit",
        open: async (name: string): Promise<Stored> => {
          const thread = await system.open(name);
          return { ...thread, prompt: () => thread.tail(NEWEST) };
        },
      })),
    ];
    const measured: (readonly string[])[] = [];
    for (const entries of isQuick ? [100, 200] : [1000, 10_000, 100_000]) {
      const stored: Stored[] = [];
      for (const { open } of systems)
        stored.push(await filled(await open(`t-${entries}`), entries));
      const timings = await takeTurns(
        stored.map((one) => oneMoreTurn(one, entries)),
        isQuick ? 2 : 20,
      );
      for (const [nth, { name, backend, leavesOut }] of systems.entries()) {
        const timing = timings[nth];
        if (timing === undefined) continue;
        medians.set(`${name}, ${backend}, ${entries}`, timing.medianMs);
        const cells = [timingCell(timing), milliseconds(timing.meanMs)];
        measured.push([backend, count(entries), name, ...cells, leavesOut]);
      }
      for (const one of stored) await one.close();
    }
    return measured;
  });
  return {
    tables: [
      {
        title: "Speed of the manager",
        note: `Milliseconds for the prompt of one more turn, fastest / median of 20 and the mean. Ours (\`historyForModelCall\`, from its second call on) reads, fits 32,000 tokens and stores its plan. The others read the newest ${NEWEST} messages, or all where they know no other way, and fit nothing.`,
        head: ["backend", "entries", "system", "one more turn", "mean", "leaves out"],
        rows: rows.toSorted((one, other) => (one[0] ?? "").localeCompare(other[0] ?? "")),
      },
    ],
    broken: isQuick ? [] : brokenPromises(medians),
  };
}

async function managed(
  backend: Backend,
  threadId: string,
  openOwn: StorePlaces["openOwn"],
): Promise<Stored> {
  const { store, close } = await openOwn(backend);
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  const window = { contextTokens: 32_000 };
  const reducer = createReducer({ counter });
  const manager = createHistoryManager({ store, threadId, counter, reducer, window });
  return {
    append: (entries) => manager.append(entries),
    prompt: () => manager.historyForModelCall({ systemMessage: "You answer." }),
    close,
  };
}

/** Fills a conversation, and reads its first prompt. */
async function filled(stored: Stored, entries: number): Promise<Stored> {
  for (let from = 0; from < entries; from += FILL)
    await stored.append(conversation(from, Math.min(FILL, entries - from)));
  await stored.prompt();
  return stored;
}

/** Asks, and answers; what it returns is how long the reading between took. */
function oneMoreTurn(stored: Stored, entries: number): () => Promise<number> {
  let length = entries;
  return async () => {
    await stored.append(conversation(length, 1));
    const ms = await timed(() => stored.prompt());
    await stored.append(conversation(length + 1, 1));
    length += 2;
    return ms;
  };
}

/** Questions and answers in turn, some 300 bytes each, from an index of the conversation on. */
function conversation(from: number, entries: number): readonly HistoryEntry[] {
  const random = seededRandom(from + 1);
  return Array.from({ length: entries }, (_, nth) => {
    const index = from + nth;
    const fields = {
      id: `e${index}`,
      createdAtMs: 1_760_000_000_000 + index,
      content: prose(random, 60),
    };
    return index % 2 === 0 ? userMessage(fields) : assistantMessage(fields);
  });
}

/** Promised: 100,000 entries cost at most twice what 1,000 do. */
function brokenPromises(medians: ReadonlyMap<string, number>): readonly string[] {
  return ["memory", "SQLite", "Redis"].flatMap((backend) => {
    const [short = Infinity, long = 0] = [1000, 100_000].map((entries) =>
      medians.get(`${OURS}, ${backend}, ${entries}`),
    );
    const times = (long / short).toFixed(1);
    return long > 2 * short
      ? [`A call at 100,000 entries costs ${times} times 1,000, ${backend}.`]
      : [];
  });
}
