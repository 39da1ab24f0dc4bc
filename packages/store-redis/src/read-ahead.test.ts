import { assistantMessage, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, HistoryStore, ReadResult } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { openStore } from "../test-support/open-store.ts";
import { startJsRedisServer } from "../test-support/servers/start-js-redis-server.ts";

/** What another process does between two reads. */
interface Change {
  readonly kind: "append" | "append-each" | "replace" | "fork" | "nothing";
  readonly count: number;
  /** Before anybody reads. */
  readonly next: Change["kind"];
}

const kinds = fc.constantFrom(
  "append" as const,
  "append-each" as const,
  "replace" as const,
  "fork" as const,
  "nothing" as const,
);

const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({
    kind: kinds,
    count: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 40 })),
    next: kinds,
  }),
  { minLength: 2, maxLength: 8 },
);

describe("what came since the last read of a handle", () => {
  it("is what a handle that remembers nothing reads, whatever others appended, replaced or forked meanwhile", async () => {
    await using server = await startJsRedisServer();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(changes, async (all) => {
        const namespace = `run-${(runs += 1)}`;
        const address = { urls: [server.url], namespace, protocol: 2 } as const;
        await using reader = await openStore(address);
        await using writer = await openStore(address);
        const made = entriesFrom();
        let thread = "thread";
        await writer.store.append(thread, made(5));
        let last = await lastOf(reader.store, thread);
        for (const change of all) {
          thread = await apply(writer.store, { thread, made }, change);
          thread = await apply(writer.store, { thread, made }, { kind: change.next, count: 2 });
          await using fresh = await openStore(address);
          const expected = await since(fresh.store, thread, last);
          expect(await since(reader.store, thread, last)).toEqual(expected);
          const isGone = typeof expected === "string";
          last = isGone
            ? await lastOf(reader.store, thread)
            : (expected.entries.at(-1)?.id ?? last);
        }
      }),
      { numRuns: lawRuns(8) },
    );
  });
});

/** What a manager reads for one more call; the code of an error where that entry is gone. */
async function since(
  store: HistoryStore,
  thread: string,
  after: string,
): Promise<ReadResult | string> {
  const query = { clauses: [{}], view: "thread", after, splitExchanges: true } as const;
  try {
    return await store.read(thread, { query });
  } catch (error) {
    if (isHistoryError(error)) return error.code;
    throw error;
  }
}

async function lastOf(store: HistoryStore, thread: string): Promise<string> {
  return (await store.read(thread)).entries.at(-1)?.id ?? "";
}

/** Changes a thread, and says which is read from now on. */
async function apply(
  store: HistoryStore,
  at: { readonly thread: string; readonly made: (count: number) => readonly HistoryEntry[] },
  { kind, count }: Pick<Change, "kind" | "count">,
): Promise<string> {
  const { thread, made } = at;
  if (kind === "nothing") return thread;
  if (kind === "append" || kind === "append-each") {
    const batches = kind === "append" ? [made(count)] : made(count).map((one) => [one]);
    for (const batch of batches) await store.append(thread, batch);
    return thread;
  }
  const { entries } = await store.read(thread);
  const from = entries.at(-count)?.id ?? entries[0]?.id ?? "";
  const replacement = made(count);
  const name = replacement[0]?.id ?? "";
  if (kind === "replace") {
    const operation = { from, expectedVersion: "any", replacement, operationId: name } as const;
    await store.replaceSuffix(thread, operation);
    return thread;
  }
  const { threadId } = await store.fork(thread, { at: from, as: name });
  await store.append(threadId, replacement);
  return threadId;
}

/** Entries that were not made before. */
function entriesFrom(): (count: number) => readonly HistoryEntry[] {
  let next = 0;
  return (count) =>
    Array.from({ length: count }, () => {
      const id = `e${(next += 1)}`;
      return assistantMessage({ id, createdAtMs: 1, content: `Said ${id}.` });
    });
}
