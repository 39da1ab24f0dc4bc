import type { HistoryEntry } from "@agent-history/core";
import { summary, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { codeOf, compact, idsOf, manyMessages, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Once by entry id: retries, altered entries, batches that are known in part. */
export function describeEntryIds(stores: UseStores): void {
  describe("entry ids", () => {
    it("make a retry a success that writes nothing", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"));
      await store.append("t", messages("d"));
      const retries = [messages("a", "b", "c"), messages("d"), messages("b"), messages("c", "a")];
      for (const batch of retries) {
        expect(await store.append("t", batch)).toEqual({ version: 4, duplicate: true });
      }
      expect(await idsOf(store, "t")).toBe("a b c d");
    });

    it("know an entry again whatever the order of its keys", async () => {
      const { store } = await stores();
      const metadata = { x: 1, y: { p: [1, -0], q: null } };
      const given: HistoryEntry = userMessage({ id: "a", content: "", createdAtMs: 5, metadata });
      await store.append("t", [given]);
      const turned: HistoryEntry = {
        metadata: { y: { q: null, p: [1, 0] }, x: 1 },
        createdAtMs: 5,
        content: "",
        id: "a",
        type: "user_message",
      };
      expect(await store.append("t", [turned])).toEqual({ version: 1, duplicate: true });
    });

    it("are refused for another entry, and the first stays", async () => {
      const { store } = await stores();
      const [a] = messages("a");
      if (a?.type !== "user_message") throw new Error("a message");
      await store.append("t", [a]);
      const altered: readonly HistoryEntry[] = [
        { ...a, content: "else" },
        { ...a, content: [{ type: "text", text: "message a" }] },
        { ...a, createdAtMs: 1001 },
        { ...a, pinned: false },
        { ...a, metadata: {} },
        { ...a, type: "assistant_message" },
      ];
      for (const entry of altered) {
        expect(await codeOf(store.append("t", [entry]))).toBe("DUPLICATE_ID");
        expect(await codeOf(store.append("t", [...messages("b"), entry]))).toBe("DUPLICATE_ID");
      }
      expect((await store.read("t")).entries).toEqual([a]);
    });

    it("are refused where a batch is known in part", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      for (const batch of [messages("b", "c"), messages("c", "a"), messages("a", "b", "c")]) {
        expect(await codeOf(store.append("t", batch))).toBe("DUPLICATE_ID");
      }
      expect(await idsOf(store, "t")).toBe("a b");
    });
  });
  describeTakenIds(stores);
}

function describeTakenIds(stores: UseStores): void {
  describe("entry ids that are taken", () => {
    it("are refused twice in a batch, equal or not", async () => {
      const { store } = await stores();
      await store.append("t", messages("known"));
      expect(await codeOf(store.append("t", messages("a", "a")))).toBe("DUPLICATE_ID");
      expect(await codeOf(store.append("t", messages("known", "known")))).toBe("DUPLICATE_ID");
      const large = [...manyMessages("m", 300), ...messages("m0")];
      expect(await codeOf(store.append("t", large))).toBe("DUPLICATE_ID");
      expect(await idsOf(store, "t")).toBe("known");
    });

    it("are those of committed summaries too, and a summary takes none of the log", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await compact(store, "t", "z", ["a", "a"], { viewRevision: 0 });
      expect(await codeOf(store.append("t", messages("z")))).toBe("DUPLICATE_ID");
      const taken = compact(store, "t", "b", ["b", "b"], { viewRevision: 1 });
      expect(await codeOf(taken)).toBe("DUPLICATE_ID");
      expect(await idsOf(store, "t")).toBe("a b");
    });

    it("are free in another thread", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      expect((await store.append("u", messages("a"))).duplicate).toBe(false);
    });

    it("do not let in a summary that stands in a view", async () => {
      const { store } = await stores();
      const fields = { content: "", strategy: "whole", trust: "user", createdAtMs: 0 } as const;
      const overlay = summary({ id: "z", ...fields, view: "thread" });
      expect(await codeOf(store.append("t", [...messages("a"), overlay]))).toBe("INVALID_ENTRY");
      const inLog = summary({ id: "z", ...fields });
      await store.append("t", [...messages("a"), inLog]);
      expect(await idsOf(store, "t")).toBe("a z");
    });
  });
}
