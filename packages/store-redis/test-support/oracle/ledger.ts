/** A batch that a writer handed to a store. */
export interface SentBatch {
  readonly thread: string;
  readonly writer: string;
  readonly batch: number;
  readonly size: number;
}

/** What writers sent and what the store told them. Kept outside the processes that are tormented. */
export interface Ledger {
  readonly sent: (batch: SentBatch) => void;
  readonly acknowledged: (batch: SentBatch) => void;
  readonly threads: () => readonly string[];
  /** Every batch of the thread that was sent, and whether it was acknowledged. */
  readonly batches: (thread: string) => ReadonlyMap<string, LedgerLine>;
  readonly acknowledgedEntries: () => number;
  /** How many threads an acknowledged batch stands in. */
  readonly acknowledgedThreads: () => number;
}

/** One batch in the ledger. */
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

/** Names a batch within its thread. */
export function batchKey({ writer, batch }: Pick<SentBatch, "writer" | "batch">): string {
  return `${writer}.${batch}`;
}
