import { agentView, task, userMessage } from "@agent-history/core";
import { describe, expect } from "vitest";

import { allOf, compact, idsOf, messages, namesIn } from "./ask-store.ts";
import { ODD_CONTENTS, ODD_NAMES } from "./odd-names.ts";
import type { StoreTest } from "./store-test.ts";

/** Names and contents that go wrong elsewhere. */
export function describeOddTexts(it: StoreTest): void {
  describe("odd texts", () => {
    it("name threads that stay apart, and are deleted one by one", async ({ store }) => {
      for (const [nth, name] of ODD_NAMES.entries())
        await store.append(name, messages(`m${nth}`), { expectedVersion: "none" });
      for (const [nth, name] of ODD_NAMES.entries())
        expect(await idsOf(store, name)).toBe(`m${nth}`);
      for (const [nth, name] of ODD_NAMES.entries()) {
        const left = ODD_NAMES.slice(nth).toSorted();
        expect(await namesIn(store, { limit: Infinity })).toEqual(left);
        await store.delete(name);
      }
    });

    it("name entries, which are known again", async ({ store }) => {
      const batch = messages(...ODD_NAMES);
      await store.append("t", batch);
      expect((await store.read("t")).entries).toEqual(batch);
      for (const [nth, entry] of batch.entries()) {
        expect((await store.append("t", [entry])).duplicate).toBe(true);
        const query = { clauses: [{}], before: entry.id };
        expect((await store.read("t", { query })).entries).toEqual(batch.slice(0, nth));
      }
    });

    it("name agents and phases, whose views stay apart", async ({ store }) => {
      const ids = ODD_NAMES.map((_, nth) => `task${nth}`);
      await store.append(
        "t",
        ODD_NAMES.map((name, nth) => {
          const agent = { id: name, role: "worker" } as const;
          return task({ id: `task${nth}`, createdAtMs: 0, content: name, phaseId: name, agent });
        }),
      );
      for (const [nth, name] of ODD_NAMES.entries()) {
        const [view, id] = [agentView(name), `task${nth}`];
        expect(await idsOf(store, "t", { clauses: [{ agent: name }], view })).toBe(id);
        expect(await idsOf(store, "t", { clauses: [{ phases: [name] }] })).toBe(id);
        await compact(store, "t", `z${nth}`, [id, id], { view, viewRevision: 0 });
      }
      for (const [nth, name] of ODD_NAMES.entries()) {
        const { entries, viewRevision } = await store.read("t", { query: allOf(agentView(name)) });
        expect(entries.map(({ id }) => id)).toEqual(ids.with(nth, `z${nth}`));
        expect(viewRevision).toBe(1);
      }
    });

    it("name state and counters", async ({ store }) => {
      for (const [nth, name] of ODD_NAMES.entries())
        await store.setState("t", name, { [name]: nth }, { expectedRevision: 0 });
      for (const [nth, name] of ODD_NAMES.entries()) {
        const state = await store.getState("t", name);
        expect(Object.entries(state?.value ?? {})).toEqual([[name, nth]]);
      }
      const tokens = new Map(ODD_NAMES.map((name, nth) => [name, [nth]]));
      await store.append("t", messages("a"), { tokens });
      expect((await store.read("t")).tokens).toEqual(tokens);
    });

    it("are kept to the last code unit", async ({ store, another }) => {
      const batch = ODD_CONTENTS.map((content, nth) =>
        userMessage({ id: `m${nth}`, createdAtMs: 0, content, metadata: { [content]: content } }),
      );
      await store.append("t", batch);
      for (const handle of [store, await another()]) {
        const { entries } = await handle.read("t");
        const texts = entries.map(({ content, metadata = {} }) => [
          content,
          Object.entries(metadata),
        ]);
        expect(texts).toEqual(ODD_CONTENTS.map((content) => [content, [[content, content]]]));
      }
    });
  });
}
