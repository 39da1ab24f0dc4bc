import { count, takeTurns, timed, timingCell } from "../harness.ts";
import type { Measured, RunOptions, Timing } from "../harness.ts";
import { agentTurns, TURN } from "../stores/agent-thread.ts";
import { ownStore, withStores } from "../stores/store-systems.ts";
import type { OpenThread, StoreSystem } from "../stores/store-systems.ts";

/** Entries in a batch while a thread is filled. */
const FILL = 500;

/** Appends, tails and a worker's view on short and long threads; the stores of a backend take turns. */
export async function measureStores({ isQuick, withPeers }: RunOptions): Promise<Measured> {
  const lengths = isQuick ? [100, 200] : [1000, 20_000];
  const rows = await withStores(withPeers, async ({ backends, openOwn, others }) => {
    const measured: (readonly string[])[] = [];
    for (const backend of ["Redis", "SQLite"] as const) {
      if (!backends.includes(backend)) continue;
      const group = others.filter((store) => store.backend === backend);
      const all = [ownStore(backend, openOwn), ...group];
      measured.push(...(await measureGroup(all, lengths, isQuick ? 2 : 20)));
    }
    return measured;
  });
  return {
    tables: [
      {
        title: "Speed of stores",
        note: "Milliseconds, fastest / median of 20, from one client beside its server; what takes over a second is done once. Append: ten entries of some 300 bytes, acknowledged; neither Redis nor SQLite waits for the disk. Tail: the newest twenty. View: what a worker sees of the running turn, and how many entries were read for it; what knows no agents reads everything, and its user filters.",
        head: [
          "backend",
          "entries",
          "store",
          "append 10",
          "tail",
          "view",
          "read for the view",
          "leaves out",
        ],
        rows,
      },
    ],
  };
}

interface Opened {
  readonly store: StoreSystem;
  readonly thread: OpenThread;
  turn: number;
  /** How many entries the last view was read from. */
  read: number;
}

async function measureGroup(
  stores: readonly StoreSystem[],
  lengths: readonly number[],
  repeats: number,
): Promise<readonly (readonly string[])[]> {
  const opened = await Promise.all(
    stores.map(async (store): Promise<Opened> => ({
      store,
      thread: await store.open("thread"),
      turn: 0,
      read: 0,
    })),
  );
  const rows: (readonly string[])[] = [];
  for (const entries of lengths) {
    for (const one of opened) await fillTo(one, entries);
    const views = await inTurns(opened, repeats, async (one) => {
      one.read = (await one.thread.workerView()).length;
    });
    const tails = await inTurns(opened, repeats, ({ thread }) => thread.tail(20));
    const appends = await inTurns(opened, repeats, (one) =>
      one.thread.append(agentTurns(one.turn++, 1).flat()),
    );
    for (const [nth, { store, read }] of opened.entries()) {
      const timings = [appends[nth], tails[nth], views[nth]];
      const cells = timings.map((one) => (one === undefined ? "–" : timingCell(one)));
      rows.push([
        store.backend,
        count(entries),
        store.name,
        ...cells,
        count(read),
        store.leavesOut,
      ]);
    }
  }
  for (const { thread } of opened) await thread.close();
  return rows;
}

async function fillTo(one: Opened, entries: number): Promise<void> {
  for (const end = Math.ceil(entries / TURN); one.turn < end;) {
    const turns = Math.min(FILL / TURN, end - one.turn);
    await one.thread.append(agentTurns(one.turn, turns).flat());
    one.turn += turns;
  }
}

async function inTurns(
  opened: readonly Opened[],
  repeats: number,
  work: (one: Opened) => Promise<unknown>,
): Promise<readonly Timing[]> {
  // The first call prepares. One that takes seconds is not made again.
  const firstMs: number[] = [];
  for (const one of opened) firstMs.push(await timed(() => work(one)));
  const works = opened.map((one, nth) => {
    const ms = firstMs[nth] ?? 0;
    return ms > 1000 ? () => ms : () => timed(() => work(one));
  });
  return takeTurns(works, repeats);
}
