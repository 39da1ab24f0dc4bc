import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { allOf, codeOf, compact, idsOf, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Summaries over summaries, and the way back. */
export function describeLayers(stores: UseStores): void {
  describe("expand", () => {
    it("gives three layers back, one by one, on another handle (L11)", async () => {
      const { store, another } = await stores();
      await threeLayers(store);
      await store.close();
      const later = await another();
      expect(await idsOf(later, "t", allOf("thread"))).toBe("z3 e");
      expect(await later.expand("t", "z3")).toEqual({ viewRevision: 4 });
      expect(await idsOf(later, "t", allOf("thread"))).toBe("z2 d e");
      expect(await later.expand("t", "z2")).toEqual({ viewRevision: 5 });
      expect(await idsOf(later, "t", allOf("thread"))).toBe("z1 c d e");
      expect(await later.expand("t", "z1")).toEqual({ viewRevision: 6 });
      const { entries, viewRevision, version } = await later.read("t", { query: allOf("thread") });
      expect(entries).toEqual(messages("a", "b", "c", "d", "e"));
      expect([viewRevision, version]).toEqual([6, 5]);
    });

    it("refuses a layer that another covers, and what is no summary of the thread", async () => {
      const { store } = await stores();
      await threeLayers(store);
      for (const id of ["z1", "z2", "gone", "a", "e", "__proto__"]) {
        expect(await codeOf(store.expand("t", id))).toBe("NOT_FOUND");
      }
      const { entries, viewRevision } = await store.read("t", { query: allOf("thread") });
      expect([entries.map(({ id }) => id).join(" "), viewRevision]).toEqual(["z3 e", 3]);
    });

    it("lists every layer of every view, in the order of the commits", async () => {
      const { store, another } = await stores();
      expect(await store.listSummaries("t")).toEqual([]);
      await threeLayers(store);
      await compact(store, "t", "y", ["a", "c"], { view: "conversation", viewRevision: 0 });
      await compact(store, "t", "z4", ["z3", "e"], { viewRevision: 3 });
      await store.expand("t", "z4");
      const listed = await (await another()).listSummaries("t");
      const layers = listed.map(({ id, view, covers }) => [id, view, covers]);
      expect(layers).toEqual([
        ["z1", "thread", [{ from: "a", to: "b" }]],
        ["z2", "thread", [{ from: "z1", to: "c" }]],
        ["z3", "thread", [{ from: "z2", to: "d" }]],
        ["y", "conversation", [{ from: "a", to: "c" }]],
      ]);
    });

    it("takes one of several summaries side by side", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
      await compact(store, "t", "z2", ["c", "d"], { viewRevision: 1 });
      await store.expand("t", "z1");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a b z2");
      await compact(store, "t", "z3", ["b", "z2"], { viewRevision: 3 });
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a z3");
      expect(await codeOf(store.expand("t", "z1"))).toBe("NOT_FOUND");
    });
  });
  describeExpansionsApart(stores);
}

function describeExpansionsApart(stores: UseStores): void {
  describe("expand, later and elsewhere", () => {
    it("gives back what was shown before, whatever was appended since", async () => {
      const { store } = await stores();
      await threeLayers(store);
      await store.append("t", messages("f"));
      await store.expand("t", "z3");
      await store.append("t", messages("g"));
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z2 d e f g");
      expect(await idsOf(store, "t")).toBe("a b c d e f g");
      expect(await store.verify("t")).toEqual([]);
    });

    it("of one view leaves another's summaries alone", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await compact(store, "t", "z1", ["a", "b"], { view: "conversation", viewRevision: 0 });
      await compact(store, "t", "z2", ["a", "b"], { view: "thread", viewRevision: 0 });
      await store.expand("t", "z1");
      expect(await idsOf(store, "t", allOf("conversation"))).toBe("a b");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z2");
    });
  });
}

async function threeLayers(store: HistoryStore): Promise<void> {
  await store.append("t", messages("a", "b", "c", "d", "e"));
  await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
  await compact(store, "t", "z2", ["z1", "c"], { viewRevision: 1 });
  await compact(store, "t", "z3", ["z2", "d"], { viewRevision: 2 });
}
