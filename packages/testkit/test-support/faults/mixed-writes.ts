import type { HistoryStore } from "@agent-history/core";
import { isHistoryError, summary, userMessage } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";

/** One write of a row in which every verb stands. */
export interface MixedWrite {
  readonly name: string;
  readonly run: (store: HistoryStore) => Promise<unknown>;
}

const KINDS = [
  "append",
  "compact",
  "append",
  "fork",
  "replace",
  "append",
  "state",
  "import",
  "expand",
  "append",
  "replace",
  "delete",
  "append",
  "compact",
  "expand",
  "append",
] as const;

/** Makes a row of writes to a thread `t`, its forks and copies: the same row in every process. Each call returns the next. */
export function mixedWrites(): () => MixedWrite {
  let nth = -1;
  let ids: readonly string[] = [];
  // How many entries a summary covers, how often the view changed, and what else there is.
  let [covered, revision, states] = [0, 0, 0];
  let compaction = "none";
  let made: readonly string[] = [];
  return () => {
    nth += 1;
    const at = nth;
    const name = kindAt(at);
    const batch = batchOf(at);
    if (name === "compact") {
      covered = Math.ceil(ids.length / 2);
      revision += 1;
      compaction = `z${at}`;
      return { name, run: compactionOf(compaction, ids.slice(0, covered), revision - 1) };
    }
    if (name === "expand") {
      [covered, revision] = [0, revision + 1];
      const id = compaction;
      return { name, run: (store) => store.expand("t", id) };
    }
    if (name === "replace") {
      // Now and then almost all of it, so that the thread stays short.
      const position = at % 5 === 0 ? 9 : ids.length - 1 - (at % 7);
      const from = ids[Math.max(0, position)] ?? "";
      ids = [...ids.slice(0, Math.max(0, position)), ...batch.map(({ id }) => id)];
      if (covered > position) covered = 0;
      revision += 1;
      const edit = { from, expectedVersion: "any", operationId: `o${at}` } as const;
      return { name, run: (store) => store.replaceSuffix("t", { ...edit, replacement: batch }) };
    }
    if (name === "state") {
      const expectedRevision = states;
      states += 1;
      return { name, run: (store) => store.setState("t", "plan", { at }, { expectedRevision }) };
    }
    if (name === "fork") {
      made = [...made, `t/f${at}`];
      const fork = { at: ids[Math.floor(ids.length / 2)] ?? "", as: `f${at}`, operationId: "f" };
      return { name, run: (store) => store.fork("t", fork) };
    }
    if (name === "import") {
      made = [...made, `i${at}`];
      return { name, run: (store) => store.importThread(`i${at}`, store.exportThread("t")) };
    }
    if (name === "delete") {
      const [oldest = "none"] = made;
      made = made.slice(1);
      return { name, run: (store) => store.delete(oldest, { includeForks: true }) };
    }
    ids = [...ids, ...batch.map(({ id }) => id)];
    return { name, run: (store) => store.append("t", batch) };
  };

  function kindAt(at: number): (typeof KINDS)[number] {
    const kind = KINDS[at % KINDS.length] ?? "append";
    const isPossible = (kind !== "compact" || covered === 0) && (kind !== "expand" || covered > 0);
    return isPossible ? kind : "append";
  }
}

function compactionOf(
  id: string,
  run: readonly string[],
  expectedViewRevision: number,
): MixedWrite["run"] {
  const fields = { strategy: "s", trust: "user", createdAtMs: 1, content: `Of ${id}` } as const;
  return (store) =>
    store.commitCompaction("t", {
      view: "thread",
      summary: summary({ id, ...fields }),
      covers: [{ from: run[0] ?? "", to: run.at(-1) ?? "" }],
      expectedViewRevision,
    });
}

function batchOf(at: number): readonly ReturnType<typeof userMessage>[] {
  return Array.from({ length: 1 + ((at * 7) % 20) }, (_, index) =>
    userMessage({ id: `n${at}-${index}`, content: "x".repeat(300), createdAtMs: at }),
  );
}

/** What a store that was cut off in a row of mixed writes may show. */
export interface MixedAudit {
  /**
   * Compares with a store that acknowledged this many writes: what it shows is what they leave, or they and the next. Then does the next again.
   *
   * @returns What must not be, and whether the next had been done.
   */
  readonly compare: (
    store: HistoryStore,
    acknowledged: number,
  ) => Promise<{ readonly violations: readonly string[]; readonly wasDone: boolean }>;
}

/** Makes the same writes in memory, as far as they were acknowledged. */
export function mixedAudit(): MixedAudit {
  const reference = memoryStore();
  const next = mixedWrites();
  let applied = 0;
  return {
    compare: async (store, acknowledged) => {
      for (; applied < acknowledged; applied += 1) await next().run(reference);
      const shown = await shownBy(store);
      const before = await shownBy(reference);
      const isBefore = isSame(shown, before);
      const write = next();
      await write.run(reference);
      applied += 1;
      const after = await shownBy(reference);
      const violations: string[] = [];
      // A deletion or an import with forks has steps, each a whole thread; the same call finishes them.
      const [few, many] = write.name === "delete" ? [after, before] : [before, after];
      const isBetween = STEPWISE.has(write.name) && isWithin(few, shown) && isWithin(shown, many);
      if (!isBefore && !isSame(shown, after) && !isBetween)
        violations.push(`${write.name} ${acknowledged} left what no row of writes leaves`);
      const code = await write.run(store).then(
        () => "done",
        (error: unknown) => (isHistoryError(error) ? error.code : String(error)),
      );
      const isOnce = !isBefore && ["NOT_FOUND", "VERSION_CONFLICT"].includes(code);
      if (code !== "done" && !isOnce)
        violations.push(`${write.name} ${acknowledged} once more: ${code}`);
      if (!isSame(await shownBy(store), after))
        violations.push(`${write.name} ${acknowledged} once more is not what it must be`);
      return { violations, wasDone: !isBefore };
    },
  };
}

const STEPWISE: ReadonlySet<string> = new Set(["delete", "import"]);

function isWithin(few: readonly string[], many: readonly string[]): boolean {
  return few.every((one) => many.includes(one));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return isWithin(one, other) && isWithin(other, one);
}

/** All that reads show of each thread, without times. */
async function shownBy(store: HistoryStore): Promise<readonly string[]> {
  const { threads } = await store.list({ limit: Infinity });
  const names = threads.map(({ threadId }) => threadId).toSorted();
  const shown: string[] = [];
  for (const name of names) {
    const originals = await store.read(name, { originals: true });
    const view = await store.read(name, { query: { clauses: [{}], view: "thread" } });
    const { title, user, entryCount } = (await store.getMetadata(name)) ?? {};
    const summaries = await store.listSummaries(name);
    const { items } = await store.listState(name);
    const problems = await store.verify(name);
    const about = [title, user, entryCount];
    shown.push(JSON.stringify([name, originals, view, summaries, items, about, problems]));
  }
  return shown;
}

/** What became of mixed writes. */
export interface MixedReport {
  readonly writes: number;
  /** How often the write that was cut off had been done. */
  readonly done: number;
  readonly violations: readonly string[];
}

/** Does mixed writes, cuts the store off in the midst of one, heals it, and compares; again and again. */
export async function cutInEveryVerb(options: {
  readonly open: () => Promise<{
    readonly store: HistoryStore;
    readonly close: () => Promise<void>;
  }>;
  /** Begins a fault; called some milliseconds after a write. */
  readonly cut: () => Promise<void>;
  readonly heal: () => Promise<void>;
  readonly cuts: number;
}): Promise<MixedReport> {
  const { open, cut, heal, cuts } = options;
  const audit = mixedAudit();
  const violations: string[] = [];
  let [writes, done] = [0, 0];
  for (let nth = 0; nth < cuts; nth += 1) {
    const next = mixedWrites();
    for (let skipped = 0; skipped < writes; skipped += 1) next();
    const opened = await open();
    const cutting = new Promise<void>((resolve, reject) => {
      setTimeout(() => cut().then(resolve, reject), 5 + ((nth * 37) % 120));
    });
    for (let code = "done"; code === "done";) {
      const write = next();
      code = await write.run(opened.store).then(
        () => "done",
        (error: unknown) => (isHistoryError(error) ? error.code : String(error)),
      );
      if (code === "done") writes += 1;
      else if (!EXCUSED.has(code)) violations.push(`${write.name} ${writes}: ${code}`);
    }
    await cutting;
    await heal();
    await opened.close();
    const fresh = await open();
    const found = await audit.compare(fresh.store, writes);
    await fresh.close();
    violations.push(...found.violations);
    writes += 1;
    if (found.wasDone) done += 1;
  }
  return { writes, done, violations };
}

/** What a fault excuses. */
const EXCUSED = new Set(["OUTCOME_UNKNOWN", "STORE_UNAVAILABLE"]);
