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
});
