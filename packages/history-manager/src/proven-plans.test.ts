import type { HistoryStore } from "@agent-history/core";
import type * as ContentHash from "@agent-history/core/content-hash";
import { memoryStore } from "@agent-history/store-kit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import type * as ManagerOptions from "../test-support/manager-options.ts";
import { prefixCompressor } from "../test-support/prefix-compressor.ts";
import type * as Managers from "./create-history-manager.ts";
import type { HistoryManager } from "./history-manager.ts";
import { managerStateKeys } from "./internal/prompt-state.ts";

const hash = "@agent-history/core/content-hash";
let hashed = 0;
let managerOptions: typeof ManagerOptions.managerOptions;
let createHistoryManager: typeof Managers.createHistoryManager;

// Whatever was loaded before hashes uncounted.
beforeAll(async () => {
  vi.resetModules();
  vi.doMock(hash, async (load) => {
    const real = await load<typeof ContentHash>();
    return {
      ...real,
      contentHash: (value: unknown) => {
        hashed += 1;
        return real.contentHash(value);
      },
    };
  });
  ({ managerOptions } = await import("../test-support/manager-options.ts"));
  ({ createHistoryManager } = await import("./create-history-manager.ts"));
});

afterAll(() => {
  vi.doUnmock(hash);
  vi.resetModules();
});

const call = { systemMessage: "Help." };

async function talk(history: HistoryManager, turn: number): Promise<void> {
  await history.addUserMessage({ content: `Question ${turn}` });
  await history.addAssistantMessage({ content: `Answer ${turn}` });
}

async function ask(history: HistoryManager, question = "And now?") {
  await history.addUserMessage({ content: question });
  hashed = 0;
  const made = await history.historyForModelCall(call);
  return { ...made, hashed };
}

/** A thread with some turns, of which a call was made. */
async function started(store: HistoryStore) {
  const options = managerOptions({ store });
  const history = createHistoryManager(options);
  for (let turn = 1; turn <= 5; turn++) await talk(history, turn);
  await ask(history);
  await history.addAssistantMessage({ content: "Done." });
  return { history, options };
}

describe("the plan that a manager goes on from", () => {
  it("is proven without a hash, turn after turn that only grows", async () => {
    const { history } = await started(memoryStore());

    for (let turn = 6; turn <= 9; turn++) {
      const made = await ask(history, `Question ${turn}`);
      expect([made.hashed, made.counts.isContinued]).toStrictEqual([0, true]);
      await history.addAssistantMessage({ content: `Answer ${turn}` });
    }
  });

  it("is proven after a restart by one hash, of the instructions", async () => {
    const { options } = await started(memoryStore());

    const made = await ask(createHistoryManager({ ...options, store: { ...options.store } }));

    expect([made.hashed, made.counts.isContinued]).toStrictEqual([1, true]);
  });

  it("costs no hash when a cut is made", async () => {
    const store = memoryStore();
    const options = managerOptions({ store, window: { contextTokens: 400 } });
    const history = createHistoryManager(options);
    await ask(history);
    for (let turn = 1; turn <= 20; turn++) {
      expect((await ask(history, `Question ${turn} `.repeat(5))).hashed).toBe(0);
      await history.addAssistantMessage({ content: `Answer ${turn}` });
    }
  });

  it("holds up to a compaction, or to one that was taken back, and goes on from there without a hash", async () => {
    const store = memoryStore();
    const { options } = await started(store);
    const history = createHistoryManager({ ...options, compressor: prefixCompressor });
    await ask(history);
    await history.compress({ view: "thread" });

    const compacted = await ask(history);
    const after = await ask(history, "And then?");
    const { id = "" } = compacted.entries.find(({ type }) => type === "summary") ?? {};
    await store.expand("thread-1", id);
    const expanded = await ask(history);

    expect(compacted.plan.continued?.stoppedBy).toBe("change");
    expect([after.hashed, after.counts.isContinued]).toStrictEqual([0, true]);
    expect(expanded.plan.continued?.stoppedBy).toBe("change");
    expect(expanded.entries).toHaveLength(17);
  });

  it("notices a summary that comes again with other words under the same id", async () => {
    const store = memoryStore();
    const { history } = await started(store);
    const commit = async (content: string, expectedViewRevision: number): Promise<void> => {
      const covers = [{ from: "id-1", to: "id-2" }];
      const made = { type: "summary", id: "s", createdAtMs: 0, content, strategy: "x" } as const;
      const summary = { ...made, trust: "tool", view: "thread", covers } as const;
      await store.commitCompaction("thread-1", {
        view: "thread",
        summary,
        covers,
        expectedViewRevision,
      });
    };
    await commit("Rome.", 0);
    await ask(history);
    await store.expand("thread-1", "s");
    await commit("Paris.", 2);

    const { entries, plan } = await ask(history);

    expect(entries.find(({ id }) => id === "s")).toMatchObject({ content: "Paris." });
    expect(plan.continued?.stoppedBy).toBe("change");
  });

  it("is not trusted where the thread has fewer entries than it saw: data was deleted", async () => {
    const store = memoryStore();
    const { options } = await started(store);
    const { version } = await store.read("thread-1", {});
    const kept = await store.read("thread-1", { query: { clauses: [{}], maxEntries: 3 } });
    const cut: HistoryStore = {
      ...store,
      read: async (...given) => ({
        ...(await store.read(...given)),
        entries: kept.entries,
        version: version - 8,
      }),
    };

    const { entries, counts } = await createHistoryManager({
      ...options,
      store: cut,
    }).historyForModelCall(call);

    expect(counts.isContinued).toBe(false);
    expect(entries).toHaveLength(kept.entries.length + 1);
  });

  it("is not trusted where a thread of fewer entries bears the same ids", async () => {
    const store = memoryStore();
    const { options } = await started(store);
    const other: HistoryStore = {
      ...store,
      read: async (...given) => {
        const read = await store.read(...given);
        const entries = read.entries.map((entry) =>
          entry.type === "user_message" ? { ...entry, content: "Something else." } : entry,
        );
        const version = read.version - 2;
        return { ...read, entries, version, entryCount: version };
      },
    };

    const made = await createHistoryManager({ ...options, store: other }).historyForModelCall(call);

    expect(made.counts.isContinued).toBe(false);
  });

  it("is made anew where what is stored of it was damaged, whatever it is now", async () => {
    const store = memoryStore();
    const { options } = await started(store);
    const key =
      (await managerStateKeys({ store, threadId: "thread-1", signal: undefined })).at(-1) ?? "";
    const { value, revision } = (await store.getState("thread-1", key)) ?? { revision: 0 };
    const { plan, ...state } = JSON.parse(JSON.stringify(value));
    const damages: readonly object[] = [
      { ...plan, totalTokens: 1 },
      { ...plan, requestTokens: -1e9, totalTokens: plan.totalTokens - 1e9 - plan.requestTokens },
      { ...plan, window: null },
      { ...plan, window: { contextTokens: null } },
      { ...plan, settledUntil: 999 },
      { ...plan, repairs: null },
      { ...plan, hashes: null },
      { ...plan, decisions: [null] },
      { ...plan, decisions: plan.decisions.map((run: object) => ({ ...run, action: {} })) },
    ];
    let expectedRevision = revision;
    for (const damaged of damages) {
      const stored = JSON.parse(JSON.stringify({ ...state, plan: damaged }));
      ({ revision: expectedRevision } = await store.setState("thread-1", key, stored, {
        expectedRevision,
      }));

      const { counts, plan: next } = await createHistoryManager(options).historyForModelCall(call);

      expect(counts.isContinued).toBe(false);
      expect(next.continued).toBeUndefined();
      expectedRevision += 1;
    }
  });

  it("notices other instructions under the same id", async () => {
    const { history } = await started(memoryStore());

    const { entries, plan } = await history.historyForModelCall({ systemMessage: "Be brief." });

    expect(entries[0]).toMatchObject({ content: "Be brief." });
    expect(plan.continued?.stoppedBy).toBe("change");
  });

  it("notices an answer that is cleaned in another way", async () => {
    const { history } = await started(memoryStore());
    const removeFromText = (text: string): string => text.replace(" 3", "");

    const { entries, counts } = await history.historyForModelCall({ ...call, removeFromText });

    expect(entries.some((entry) => "content" in entry && entry.content === "Answer")).toBe(true);
    expect(counts.isContinued).toBe(false);
  });
});
