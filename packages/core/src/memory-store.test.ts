import { describe, expect, it } from "vitest";

import { userMessage } from "./create-entries.ts";
import type { HistoryStore } from "./history-store.ts";
import { memoryStore } from "./memory-store.ts";

const LENGTH = 5000;

async function longThread(): Promise<HistoryStore> {
  const store = memoryStore();
  for (let from = 0; from < LENGTH; from += 500) {
    const batch = Array.from({ length: 500 }, (_, nth) =>
      userMessage({ id: `u${from + nth}`, content: "Hello" }),
    );
    await store.append("t", batch);
  }
  return store;
}

async function turn(): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 0);
  });
}

describe("memoryStore on a long thread", () => {
  it("lets others have their turn after each page of a read", async () => {
    const store = await longThread();
    const progress = { isOver: false };
    const reading = store.read("t").finally(() => (progress.isOver = true));
    let turns = 0;
    for (; !progress.isOver; turns += 1) await turn();
    expect(turns).toBeGreaterThanOrEqual(4);
    expect((await reading).entries).toHaveLength(LENGTH);
  });

  it("ends a read between two pages where its signal fires", async () => {
    const store = await longThread();
    const controller = new AbortController();
    const reading = store.read("t", { signal: controller.signal }).catch((error: unknown) => error);
    await turn();
    controller.abort();
    expect(await reading).toMatchObject({ code: "ABORTED" });
  });

  it("shows one state of a thread whose end is replaced meanwhile", async () => {
    const store = await longThread();
    const reading = store.read("t", { query: { clauses: [{}], view: "thread" } });
    await turn();
    await store.replaceSuffix("t", {
      from: "u10",
      replacement: [userMessage({ id: "other", content: "Bye" })],
      operationId: "one",
      expectedVersion: "any",
    });
    const { entries, entryCount } = await reading;
    expect([entries.length, entryCount, entries.at(-1)?.id]).toEqual([LENGTH, LENGTH, "u4999"]);
  });

  it("lets others have their turn after each page of a fork", async () => {
    const store = await longThread();
    const progress = { isOver: false };
    const forking = store
      .fork("t", { at: `u${LENGTH - 1}`, as: "f" })
      .finally(() => (progress.isOver = true));
    let turns = 0;
    for (; !progress.isOver; turns += 1) await turn();
    await forking;
    expect(turns).toBeGreaterThanOrEqual(2);
    expect((await store.read("t/f")).entries).toHaveLength(LENGTH);
  });

  it("forks one state of a thread whose end is replaced meanwhile", async () => {
    const store = await longThread();
    const forking = store.fork("t", { at: `u${LENGTH - 1}`, as: "f" });
    const replacement = [userMessage({ id: "other", content: "Bye" })];
    const options = { operationId: "one", expectedVersion: "any" } as const;
    await store.replaceSuffix("t", { from: "u10", replacement, ...options });
    await forking;
    const { entries } = await store.read("t/f");
    expect([entries.length, entries.at(-1)?.id]).toEqual([LENGTH, `u${LENGTH - 1}`]);
  });

  it("makes one of two forks of one name", async () => {
    const store = await longThread();
    const fork = () => store.fork("t", { at: `u${LENGTH - 1}`, as: "f" });
    const answers = await Promise.allSettled([fork(), fork()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });
});
