/** A batch that a writer sent to a store. */
export interface SentBatch {
  readonly thread: string;
  readonly writer: string;
  readonly batch: number;
  readonly size: number;
}

/** Records what writers sent and which batches the store acknowledged. Kept outside the processes under test. */
export interface Ledger {
  readonly sent: (batch: SentBatch) => void;
  readonly acknowledged: (batch: SentBatch) => void;
  readonly threads: () => readonly string[];
  /** All batches sent to the thread, and whether they were acknowledged. */
  readonly batches: (thread: string) => ReadonlyMap<string, LedgerLine>;
  readonly acknowledgedEntries: () => number;
  /** Number of threads with an acknowledged batch. */
  readonly acknowledgedThreads: () => number;
}

/** A batch in the ledger. */
export interface LedgerLine extends SentBatch {
  readonly isAcknowledged: boolean;
}

/** Opens an empty ledger. */
export function ledger(): Ledger {
  const lines = new Map<string, Map<string, LedgerLine>>();
  const acknowledgedThreads = new Set<string>();
  let acknowledgedEntries = 0;
  const write = (line: LedgerLine): void => {
    const thread = lines.get(line.thread) ?? new Map<string, LedgerLine>();
    const known = thread.get(batchKey(line));
    if (line.isAcknowledged) acknowledgedThreads.add(line.thread);
    if (line.isAcknowledged && known?.isAcknowledged !== true) acknowledgedEntries += line.size;
    const isAcknowledged = line.isAcknowledged || known?.isAcknowledged === true;
    lines.set(line.thread, thread.set(batchKey(line), { ...line, isAcknowledged }));
  };
  return {
    sent: (batch) => write({ ...batch, isAcknowledged: false }),
    acknowledged: (batch) => write({ ...batch, isAcknowledged: true }),
    threads: () => [...lines.keys()],
    batches: (thread) => lines.get(thread) ?? new Map(),
    acknowledgedEntries: () => acknowledgedEntries,
    acknowledgedThreads: () => acknowledgedThreads.size,
  };
}

/** The key of a batch within its thread. */
export function batchKey({ writer, batch }: Pick<SentBatch, "writer" | "batch">): string {
  return `${writer}.${batch}`;
}
