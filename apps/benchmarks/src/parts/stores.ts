import { longThread } from "../../../../packages/store-redis/test-support/long-thread.ts";
import { count, takeTurns, timed, timingCell } from "../harness.ts";
import type { Measured, RunOptions, Timing } from "../harness.ts";
import { NEWEST, withStores } from "../stores/store-systems.ts";
import type { OpenThread, StoreSystem } from "../stores/store-systems.ts";

/** Entries of a turn of `longThread`: an orchestrator, two managers and two workers. */
const TURN = 23;
/** Turns in a batch while a thread is filled. */
const FILL = 20;
/** Whole turns, as many as are ever appended. */
const LOG = longThread(1000).slice(1);

/** Appends, prompts and a worker's view on short and long threads; the stores of a backend take turns. */
export async function measureStores({ isQuick, withPeers }: RunOptions): Promise<Measured> {
  const lengths = isQuick ? [100, 200] : [1000, 20_000];
  const rows = await withStores(withPeers, async (stores) => {
    const measured: (readonly string[])[] = [];
    for (const group of Map.groupBy(stores, ({ backend }) => backend).values())
      measured.push(...(await measureGroup(group, lengths, isQuick ? 2 : 20)));
    return measured;
  });
  const note = `Milliseconds, fastest / median of 20, from one client beside its server; what takes over a second is done once. Append: a turn of ${TURN} entries, acknowledged; neither Redis nor SQLite waits for the disk. Prompt: of one more turn; ours (\`historyForModelCall\`, from its second call on) reads, fits 32,000 tokens and stores its plan, the others read the newest ${NEWEST} messages, or all where they know no other way, and fit nothing. View: what a worker sees of the running turn, and how many entries were read for it; what knows no agents reads everything, and its user filters.`;
  const head = ["backend", "entries", "store", `append ${TURN}`, "prompt", "view"];
  return {
    tables: [{ title: "Stores", note, head: [...head, "read for the view", "leaves out"], rows }],
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
  const opened: Opened[] = [];
  for (const store of stores)
    opened.push({ store, thread: await store.open("thread"), turn: 0, read: 0 });
  const rows: (readonly string[])[] = [];
  for (const entries of lengths) {
    const turns = Math.ceil(entries / TURN);
    for (const one of opened) {
      while (one.turn < turns) await appendTurns(one, Math.min(FILL, turns - one.turn));
      await one.thread.prompt();
    }
    const prompts = await inTurns(opened, repeats, async (one) => {
      await appendTurns(one, 1);
      return timed(() => one.thread.prompt());
    });
    const appends = await inTurns(opened, repeats, (one) => timed(() => appendTurns(one, 1)));
    const views = await inTurns(opened, repeats, (one) =>
      timed(async () => {
        one.read = (await one.thread.workerView()).length;
      }),
    );
    for (const [nth, { store, read }] of opened.entries()) {
      const timings = [appends[nth], prompts[nth], views[nth]];
      const cells = timings.map((one) => (one === undefined ? "–" : timingCell(one)));
      const { backend, name, leavesOut } = store;
      rows.push([backend, count(entries), name, ...cells, count(read), leavesOut]);
    }
  }
  for (const { thread } of opened) await thread.close();
  return rows;
}

async function appendTurns(one: Opened, turns: number): Promise<void> {
  const start = one.turn * TURN;
  one.turn += turns;
  await one.thread.append(LOG.slice(start, one.turn * TURN));
}

async function inTurns(
  opened: readonly Opened[],
  repeats: number,
  work: (one: Opened) => Promise<number>,
): Promise<readonly Timing[]> {
  // The first call prepares. One that takes seconds is not made again.
  const works: (() => number | Promise<number>)[] = [];
  for (const one of opened) {
    const firstMs = await work(one);
    works.push(firstMs > 1000 ? () => firstMs : () => work(one));
  }
  return takeTurns(works, repeats);
}
