import type { HistoryStore, ThreadMetadata } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { viewsOf } from "./arbitrary-thread.ts";
import { codeOf } from "./ask-store.ts";
import { arbitraryCommands } from "./store-commands.ts";
import type { Duel } from "./store-commands.ts";
import type { UseStores } from "./use-stores.ts";

/** Random verbs, one after another, done to the store and to the reference alike. */
export function describeModel(stores: UseStores, runs: number): void {
  describe("any row of verbs", () => {
    it("has the outcomes that it has in memory, and leaves the same threads", async () => {
      const { another } = await stores();
      const scripts = fc.commands([...arbitraryCommands()], { maxCommands: 30 });
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(scripts, async (commands) => {
          const run = `run${(nth += 1)}-`;
          const store = renamed(await another(), run);
          const duel: Duel = { reference: memoryStore(), sent: [], threadIds: ["a", "b"] };
          await fc.asyncModelRun(() => ({ model: duel, real: store }), commands);
          for (const threadId of duel.threadIds) await expectSameThread(duel, store, threadId);
          await store.close();
        }),
        { numRuns: runs },
      );
    });
  });
}

async function expectSameThread(
  { reference }: Duel,
  store: HistoryStore,
  threadId: string,
): Promise<void> {
  const code = await codeOf(reference.read(threadId));
  expect(await codeOf(store.read(threadId))).toBe(code);
  if (code !== undefined) return;
  const { entries: log } = await reference.read(threadId);
  for (const view of viewsOf(log)) {
    const query = { clauses: [{}], view };
    const expected = await reference.read(threadId, { query });
    expect(await store.read(threadId, { query })).toEqual(expected);
  }
  expect(await store.listSummaries(threadId)).toEqual(await reference.listSummaries(threadId));
  expect(await store.verify(threadId)).toEqual([]);
}

/** A store whose threads begin with a prefix that its user does not see: many runs share one place. */
function renamed(store: HistoryStore, prefix: string): HistoryStore {
  const name = (threadId: string): string => `${prefix}${threadId}`;
  const own = (metadata: ThreadMetadata | undefined): ThreadMetadata | undefined =>
    metadata && { ...metadata, threadId: metadata.threadId.slice(prefix.length) };
  return {
    ...store,
    append: (threadId, ...rest) => store.append(name(threadId), ...rest),
    read: (threadId, ...rest) => store.read(name(threadId), ...rest),
    replaceSuffix: (threadId, ...rest) => store.replaceSuffix(name(threadId), ...rest),
    commitCompaction: (threadId, ...rest) => store.commitCompaction(name(threadId), ...rest),
    expand: (threadId, ...rest) => store.expand(name(threadId), ...rest),
    getState: (threadId, ...rest) => store.getState(name(threadId), ...rest),
    setState: (threadId, ...rest) => store.setState(name(threadId), ...rest),
    listState: (threadId, ...rest) => store.listState(name(threadId), ...rest),
    fork: async (threadId, ...rest) => {
      const fork = await store.fork(name(threadId), ...rest);
      return { threadId: fork.threadId.slice(prefix.length) };
    },
    getMetadata: async (threadId, ...rest) => own(await store.getMetadata(name(threadId), ...rest)),
    setMetadata: async (threadId, ...rest) => {
      const metadata = await store.setMetadata(name(threadId), ...rest);
      return { ...metadata, threadId };
    },
    list: async (options = {}) => {
      const { threads } = await store.list({ ...options, prefix: name(options.prefix ?? "") });
      return { threads: threads.flatMap((thread) => own(thread) ?? []) };
    },
    delete: (threadId, ...rest) => store.delete(name(threadId), ...rest),
    listSummaries: (threadId, ...rest) => store.listSummaries(name(threadId), ...rest),
    verify: (threadId, ...rest) => store.verify(name(threadId), ...rest),
  };
}
