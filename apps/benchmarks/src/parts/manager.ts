import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { createHistoryManager } from "@agent-history/history-manager";
import { createReducer } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";

import { count, milliseconds, takeTurns, timed, timingCell } from "../harness.ts";
import type { Measured, RunOptions } from "../harness.ts";
import { prose } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import { openOwn } from "../stores/own-stores.ts";
import type { StoreSystem } from "../stores/store-system.ts";
import { withStores } from "../stores/with-stores.ts";

/** About what a window of 32,000 tokens holds. */
const NEWEST = 400;
/** Entries in a batch while a conversation is filled. */
const FILL = 500;
const CALL = { systemMessage: "You answer." };

/** A stored conversation; what `oneMoreTurn` returns is how long its reading took. */
interface Stored {
  readonly backend: StoreSystem["backend"];
  readonly system: string;
  readonly leavesOut: string;
  readonly oneMoreTurn: () => Promise<number>;
  readonly close: () => Promise<unknown>;
}

/** The prompt of one more turn, from where the conversation is stored; all systems of one length take turns. */
export async function measureManager({ isQuick, withPeers }: RunOptions): Promise<Measured> {
  const medians = new Map<string, number>();
  const rows = await withStores(withPeers, async ({ path, url, others }) => {
    const measured: (readonly string[])[] = [];
    for (const entries of isQuick ? [100, 200] : [1000, 10_000, 100_000]) {
      const backends = [
        "memory",
        "SQLite",
        ...(url === undefined ? [] : ["Redis" as const]),
      ] as const;
      const stored: Stored[] = [];
      for (const backend of backends) {
        const at = { path: path(`own-${entries}`), url: url ?? "" };
        stored.push(await managed(backend, at, entries));
      }
      for (const system of [...others.SQLite, ...others.Redis])
        stored.push(await read(system, entries));
      const timings = await takeTurns(
        stored.map(({ oneMoreTurn }) => oneMoreTurn),
        isQuick ? 2 : 20,
      );
      for (const [nth, { backend, system, leavesOut, close }] of stored.entries()) {
        const timing = timings[nth];
        if (timing === undefined) continue;
        medians.set(`${system}, ${backend}, ${entries}`, timing.medianMs);
        const cells = [timingCell(timing), milliseconds(timing.meanMs)];
        measured.push([backend, count(entries), system, ...cells, leavesOut]);
        await close();
      }
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
  backend: StoreSystem["backend"],
  at: { readonly path: string; readonly url: string },
  entries: number,
): Promise<Stored> {
  const { store, close } = await openOwn(backend, at);
  const threadId = `managed-${entries}`;
  for (let from = 0; from < entries; from += FILL)
    await store.append(threadId, conversation(from, Math.min(FILL, entries - from)));
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  const manager = createHistoryManager({
    store,
    threadId,
    counter,
    reducer: createReducer({ counter }),
    window: { contextTokens: 32_000 },
  });
  await manager.historyForModelCall(CALL);
  const random = seededRandom(entries);
  const oneMoreTurn = async (): Promise<number> => {
    await manager.addUserMessage({ content: prose(random, 60) });
    const ms = await timed(() => manager.historyForModelCall(CALL));
    await manager.addAssistantMessage({ content: prose(random, 60) });
    return ms;
  };
  return { backend, system: OURS, leavesOut: "–", oneMoreTurn, close };
}

async function read(system: StoreSystem, entries: number): Promise<Stored> {
  const thread = await system.open(`read-${entries}`);
  for (let from = 0; from < entries; from += FILL)
    await thread.append(conversation(from, Math.min(FILL, entries - from)));
  let length = entries;
  const oneMoreTurn = async (): Promise<number> => {
    await thread.append(conversation(length, 1));
    const ms = await timed(() => thread.tail(NEWEST));
    await thread.append(conversation(length + 1, 1));
    length += 2;
    return ms;
  };
  const { backend, name } = system;
  return { backend, system: name, leavesOut: "the fit", oneMoreTurn, close: () => thread.close() };
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

const OURS = "agent-history";

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
