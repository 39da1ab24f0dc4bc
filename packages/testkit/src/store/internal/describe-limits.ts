import type { HistoryEntry } from "@agent-history/core";
import {
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  MAX_ENTRY_BYTES,
  MAX_NAME_LENGTH,
  isHistoryError,
  userMessage,
} from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { allOf, codeOf, idsOf, listed, manyMessages, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Sizes: exactly at each limit, and one above. */
export function describeLimits(stores: UseStores): void {
  describe("limits of a batch", () => {
    it("take 500 entries, and no more", async () => {
      const { store } = await stores();
      const most = manyMessages("m", MAX_BATCH_ENTRIES);
      expect(await store.append("t", most)).toEqual({ version: 500, duplicate: false });
      expect(await store.append("t", most)).toEqual({ version: 500, duplicate: true });
      expect((await store.read("t")).entries).toEqual(most);
      const error = await failure(store.append("t", manyMessages("n", MAX_BATCH_ENTRIES + 1)));
      expect(error).toMatchObject({ code: "TOO_LARGE", details: { limit: 500, actual: 501 } });
      expect((await store.read("t")).version).toBe(500);
    });

    it("take an entry of 1,000,000 bytes, and no more", async () => {
      const { store } = await stores();
      const largest = entryOfBytes("a", MAX_ENTRY_BYTES, "é");
      await store.append("t", [largest]);
      expect((await store.read("t")).entries).toEqual([largest]);
      const error = await failure(
        store.append("t", [...messages("b"), entryOfBytes("c", MAX_ENTRY_BYTES + 1, "é")]),
      );
      expect(error).toMatchObject({
        code: "TOO_LARGE",
        details: { limit: MAX_ENTRY_BYTES, actual: MAX_ENTRY_BYTES + 1, entryId: "c" },
      });
      expect(await idsOf(store, "t")).toBe("a");
    });

    it("take 4,000,000 bytes together, and no more", async () => {
      const { store } = await stores();
      const full = ["a", "b", "c"].map((id) => entryOfBytes(id, MAX_ENTRY_BYTES, "x"));
      const over = [...full, entryOfBytes("d", MAX_ENTRY_BYTES - 127, "x"), entryOfBytes("e", 128)];
      const error = await failure(store.append("t", over));
      expect(error).toMatchObject({
        code: "TOO_LARGE",
        details: { limit: MAX_BATCH_BYTES, actual: MAX_BATCH_BYTES + 1 },
      });
      expect(await idsOf(store, "t")).toBe("");
      const exact = [
        ...full,
        entryOfBytes("d", MAX_ENTRY_BYTES - 128, "x"),
        entryOfBytes("e", 128),
      ];
      expect((await store.append("t", exact)).version).toBe(5);
      expect(await idsOf(store, "t")).toBe("a b c d e");
    });
  });
  describeOtherLimits(stores);
}

function describeOtherLimits(stores: UseStores): void {
  describe("limits besides", () => {
    it("hold for a summary, and leave the view as it was", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      const fields = { strategy: "s", trust: "user", createdAtMs: 0 } as const;
      const summary = { ...fields, id: "z", type: "summary", content: "x".repeat(1e6) } as const;
      const work = store.commitCompaction("t", {
        view: "thread",
        summary,
        covers: [{ from: "a", to: "a" }],
        expectedViewRevision: 0,
      });
      expect(await codeOf(work)).toBe("TOO_LARGE");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a");
    });

    it("hold for state", async () => {
      const { store } = await stores();
      const [most, more] = [MAX_ENTRY_BYTES - 2, MAX_ENTRY_BYTES - 1].map((n) => "x".repeat(n));
      await store.setState("t", "key", most ?? "", { expectedRevision: 0 });
      const work = store.setState("t", "key", more ?? "", { expectedRevision: 1 });
      expect(await codeOf(work)).toBe("TOO_LARGE");
      expect(await store.getState("t", "key")).toEqual({ value: most, revision: 1 });
    });

    it("hold for the names of threads and of state", async () => {
      const { store } = await stores();
      const [most, more] = ["x".repeat(MAX_NAME_LENGTH), "x".repeat(MAX_NAME_LENGTH + 1)];
      await store.append(most, messages("a"));
      await store.setState(most, most, 1, { expectedRevision: 0 });
      expect(await store.getState(most, most)).toEqual({ value: 1, revision: 1 });
      const refused = [
        store.append(more, messages("a")),
        store.read(more),
        store.setState(more, "key", 1, { expectedRevision: 0 }),
        store.setState("t", more, 1, { expectedRevision: 0 }),
        store.getState("t", more),
        store.fork(most, { at: "a", as: "f" }),
        store.delete(more),
        store.listSummaries(more),
        store.verify(more),
      ];
      const codes = await Promise.all(refused.map(codeOf));
      expect(codes).toEqual(codes.map(() => "TOO_LARGE"));
      expect(await listed(store)).toEqual([most]);
    });

    it("name no content in their errors", async () => {
      const { store } = await stores();
      const error = await failure(store.append("t", [entryOfBytes("a", 1_100_000, "secret ")]));
      expect(isHistoryError(error) && error.message).not.toContain("secret");
    });
  });
}

/** A message whose stored form has this many bytes. */
function entryOfBytes(id: string, bytes: number, unit = "x"): HistoryEntry {
  const size = (text: string): number => new TextEncoder().encode(text).length;
  const make = (content: string): HistoryEntry => userMessage({ id, content, createdAtMs: 0 });
  const room = bytes - size(JSON.stringify({ v: 1, ...make("") }));
  const whole = Math.floor(room / size(unit));
  return make(unit.repeat(whole) + "x".repeat(room - whole * size(unit)));
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
