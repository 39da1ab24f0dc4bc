import type { HistoryEntry } from "@agent-history/core";
import { isHistoryError, MAX_BATCH_BYTES, MAX_BATCH_ENTRIES } from "@agent-history/core";

import type { ImportTarget } from "./claim-thread.ts";
import { parentOf } from "./export-records.ts";
import { atLine } from "./read-export.ts";
import type { ReadLine } from "./read-export.ts";
import type { EntryTokens, ThreadRecord } from "./thread-record.ts";

/** Writes entries in batches that a store takes. The same lines give the same batches, so that a further try finds them. */
export interface EntryWriter {
  /** Begins a thread: forks it off its parent, where it shares something. */
  readonly begin: (
    record: Extract<ThreadRecord, { readonly kind: "thread" }>,
    line: number,
  ) => Promise<void>;
  readonly add: (
    record: Extract<ThreadRecord, { readonly kind: "entry" }>,
    read: ReadLine,
  ) => Promise<void>;
  readonly flush: () => Promise<void>;
}

interface Batch {
  readonly line: number;
  readonly entries: HistoryEntry[];
  readonly tokens: ReadonlyMap<string, number[]>;
  bytes: number;
}

/** Begins with no thread. */
export function entryWriter({ store, threadId: root, signal }: ImportTarget): EntryWriter {
  const cancellation = signal && { signal };
  let threadId = root;
  let version = 0;
  let batch: Batch | undefined;

  async function flush(): Promise<void> {
    const full = batch;
    batch = undefined;
    if (full === undefined) return;
    const { entries, tokens, line } = full;
    try {
      const options = { expectedVersion: version, tokens, ...cancellation };
      await store.append(threadId, entries, options);
    } catch (error) {
      throw atLine(error, line);
    }
    version += entries.length;
  }

  return {
    begin: async ({ name, shared, at }, line) => {
      await flush();
      const parent = parentOf(name);
      threadId = `${root}${name}`;
      version = shared;
      if (at === undefined || parent === undefined || shared === 0) return;
      try {
        await store.fork(`${root}${parent}`, {
          at,
          as: name.slice(parent.length + 1),
          ...cancellation,
        });
      } catch (error) {
        // An earlier try forked it. What it has is compared when all is written.
        if (!isHistoryError(error, "VERSION_CONFLICT")) throw atLine(error, line);
      }
    },
    add: async ({ entry, tokens }, { line, bytes }) => {
      if (batch !== undefined && !fits(batch, tokens, bytes)) await flush();
      batch ??= {
        line,
        entries: [],
        tokens: new Map(tokens.map(([counterId]) => [counterId, []])),
        bytes: 0,
      };
      batch.entries.push(entry);
      for (const [counterId, count] of tokens) batch.tokens.get(counterId)?.push(count);
      batch.bytes += bytes;
    },
    flush,
  };
}

/** All entries of a batch have counts of the same counters. */
function fits(batch: Batch, tokens: EntryTokens, bytes: number): boolean {
  return (
    batch.entries.length < MAX_BATCH_ENTRIES &&
    batch.bytes + bytes <= MAX_BATCH_BYTES &&
    tokens.length === batch.tokens.size &&
    tokens.every(([counterId]) => batch.tokens.has(counterId))
  );
}
