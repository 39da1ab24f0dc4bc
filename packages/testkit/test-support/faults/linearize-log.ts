import type { HistoryStore } from "@agent-history/core";
import { isHistoryError, summary, userMessage } from "@agent-history/core";

/** A store, and what closes it. */
interface Opened {
  readonly store: HistoryStore;
  readonly close: () => Promise<void>;
}

/** When a call began and ended, and what it was told of the log and of the view. */
interface Call {
  readonly startMs: number;
  readonly endMs: number;
  readonly version: number;
  readonly revision: number;
}

/** A read, and what it showed. */
interface Read extends Call {
  readonly ids: readonly string[];
  readonly isView: boolean;
}

/** Entries that a summary covers and uncovers. */
const COVERED = 30;

/**
 * Lets handles append, compact, expand and read at once, and looks whether there is an order of all calls that explains each read: every log is a beginning of the last one, every view is
 * that of its revision, and nothing that was acknowledged before a read began is missing from it.
 */
export async function linearizeLog(options: {
  readonly open: () => Promise<Opened>;
  readonly writers: number;
  readonly readers: number;
  readonly batches: number;
}): Promise<{ readonly calls: number; readonly violations: readonly string[] }> {
  const { open, writers, readers, batches } = options;
  const opened = await Promise.all(Array.from({ length: writers + readers + 1 }, open));
  const [first, ...others] = opened.map(({ store }) => store);
  if (first === undefined) throw new Error("Expected a store");
  await first.append("t", messages("m", COVERED));
  const appends: Call[] = [];
  const views: Call[] = [];
  const reads: Read[] = [];
  const progress = { left: writers };
  const write = async (store: HistoryStore, writer: number): Promise<void> => {
    for (let nth = 0; nth < batches; nth += 1) {
      const batch = messages(`${writer}-${nth}-`, 3);
      appends.push(await timed(async () => ({ ...(await store.append("t", batch)), revision: 0 })));
    }
    progress.left -= 1;
  };
  const turnView = async (store: HistoryStore): Promise<void> => {
    for (let revision = 0; progress.left > 0; revision += 1)
      views.push(
        await timed(async () => ({ version: 0, revision: await changeView(store, revision) })),
      );
  };
  const follow = async (store: HistoryStore, reader: number): Promise<void> => {
    for (let nth = reader; progress.left > 0; nth += 1)
      reads.push(await timed(async () => readOnce(store, nth % 2 === 0)));
  };
  await Promise.all([
    turnView(first),
    ...others.slice(0, writers).map(write),
    ...others.slice(writers).map(follow),
  ]);
  const { entries } = await first.read("t");
  const log = entries.map(({ id }) => id);
  for (const one of opened) await one.close();
  const violations = reads.flatMap((read) => [
    ...(isShown(read, log) ? [] : [`a read at version ${read.version} shows what never was`]),
    ...outside("version", read, appends, COVERED),
    ...(read.isView ? outside("revision", read, views, 0) : []),
  ]);
  const isDoubled =
    new Set(log).size < log.length || log.length !== COVERED + writers * batches * 3;
  return {
    calls: appends.length + views.length + reads.length,
    violations: isDoubled ? [...violations, "entries are missing or doubled"] : violations,
  };
}

async function timed<Told extends object>(
  call: () => Promise<Told>,
): Promise<Told & { readonly startMs: number; readonly endMs: number }> {
  const startMs = performance.now();
  const told = await call();
  return { ...told, startMs, endMs: performance.now() };
}

/** Compacts at even revisions and expands at odd ones. */
async function changeView(store: HistoryStore, revision: number): Promise<number> {
  if (revision % 2 === 1) return (await store.expand("t", "z")).viewRevision;
  const fields = { strategy: "s", trust: "user", createdAtMs: 1, content: "All." } as const;
  const commit = store.commitCompaction("t", {
    view: "thread",
    summary: summary({ id: "z", ...fields }),
    covers: [{ from: "m0", to: `m${COVERED - 1}` }],
    expectedViewRevision: revision,
  });
  return (await commit).viewRevision;
}

async function readOnce(
  store: HistoryStore,
  isView: boolean,
): Promise<Omit<Read, "startMs" | "endMs">> {
  for (;;) {
    try {
      const query = { clauses: [{}], view: "thread" } as const;
      const read = await store.read("t", isView ? { query } : { originals: true });
      const { version, viewRevision: revision, entries } = read;
      return { version, revision, isView, ids: entries.map(({ id }) => id) };
    } catch (error) {
      // A view that changes all the time may not be read in one moment: then nothing is shown.
      if (!isHistoryError(error, "STORE_UNAVAILABLE")) throw error;
    }
  }
}

function isShown({ version, revision, isView, ids }: Read, log: readonly string[]): boolean {
  const covered = isView && revision % 2 === 1 ? ["z"] : log.slice(0, COVERED);
  return [...covered, ...log.slice(COVERED, version)].join(" ") === ids.join(" ");
}

/** A read is at least where the calls before it ended, and at most where those that had begun end. */
function outside(
  of: "version" | "revision",
  read: Read,
  calls: readonly Call[],
  from: number,
): readonly string[] {
  const ended = calls.filter(({ endMs }) => endMs < read.startMs).map((call) => call[of]);
  const begun = calls.filter(({ startMs }) => startMs < read.endMs).map((call) => call[of]);
  const [least, most] = [Math.max(from, ...ended), Math.max(from, ...begun)];
  const isWithin = read[of] >= least && read[of] <= most;
  return isWithin ? [] : [`a read at ${of} ${read[of]}, not between ${least} and ${most}`];
}

function messages(prefix: string, count: number): readonly ReturnType<typeof userMessage>[] {
  return Array.from({ length: count }, (_, nth) =>
    userMessage({ id: `${prefix}${nth}`, content: `message ${nth}`, createdAtMs: 1 }),
  );
}
