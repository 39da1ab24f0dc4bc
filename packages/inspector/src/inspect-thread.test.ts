import { assistantMessage, summary, userMessage } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { inspectThread } from "./inspect-thread.ts";

const at = { createdAtMs: 0 };
const log = [1, 2, 3].flatMap((turn) => [
  userMessage({ ...at, id: `q${turn}`, content: `Plant 1${turn}0 rows of a/b${turn}.ts?` }),
  assistantMessage({ ...at, id: `a${turn}`, content: "Yes." }),
]);

describe("inspectThread", () => {
  it("shows the whole thread with its summaries, each behind what it covers, and calls `read` only", async () => {
    const store = memoryStore();
    await store.append("t", log);
    const covers = [{ from: "q1", to: "a2" }];
    const content = "Rows of b1.ts: 110.";
    const words = { ...at, id: "s", content, strategy: "test", trust: "user" as const, covers };
    await store.commitCompaction("t", {
      view: "conversation",
      summary: summary({ ...words, view: "conversation" }),
      covers,
      expectedViewRevision: 0,
    });
    const reader: Pick<typeof store, "read"> = { read: async (...given) => store.read(...given) };
    const { entries, compactions, title } = await inspectThread(reader, "t");

    expect(title).toBe("Plant 110 rows of a/b1.ts?");
    expect(entries.map(({ id }) => id)).toEqual(["q1", "a1", "q2", "a2", "s", "q3", "a3"]);
    expect(compactions.map(({ row, covers: rows }) => [row, rows])).toEqual([[4, [[0, 4]]]]);
    expect(compactions[0]?.facts).toContainEqual({ kind: "number", text: "120", isKept: false });
  });

  it("shows a thread that is not there as empty, and hands on an abort", async () => {
    const store = memoryStore();

    expect((await inspectThread(store, "none")).entries).toEqual([]);
    await expect(inspectThread(store, "t", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });
});
