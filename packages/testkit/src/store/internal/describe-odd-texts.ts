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

    it("name entries, agents, phases, state and counters, which stay apart", async ({ store }) => {
      const batch = ODD_NAMES.map((name) => {
        const agent = { id: name, role: "worker" } as const;
        return task({ id: name, createdAtMs: 0, turnId: "t", content: name, phaseId: name, agent });
      });
      const tokens = new Map(ODD_NAMES.map((name) => [name, batch.map((_, nth) => nth)]));
      await store.append("t", batch, { tokens });
      expect(await store.append("t", batch)).toMatchObject({ duplicate: true });
      expect(await store.read("t")).toMatchObject({ entries: batch, tokens });
      for (const [nth, name] of ODD_NAMES.entries()) {
        const view = agentView(name);
        const before = await store.read("t", { query: { clauses: [{}], before: name } });
        expect(before.entries).toEqual(batch.slice(0, nth));
        expect(await idsOf(store, "t", { clauses: [{ agent: name }], view })).toBe(name);
        expect(await idsOf(store, "t", { clauses: [{ phases: [name] }] })).toBe(name);
        await compact(store, "t", `z${nth}`, [name, name], { view, viewRevision: 0 });
        await store.setState("t", name, { [name]: nth }, { expectedRevision: 0 });
      }
      for (const [nth, name] of ODD_NAMES.entries()) {
        const { entries, viewRevision } = await store.read("t", { query: allOf(agentView(name)) });
        expect(entries.map(({ id }) => id)).toEqual(ODD_NAMES.with(nth, `z${nth}`));
        expect(viewRevision).toBe(1);
        const state = await store.getState("t", name);
        expect(Object.entries(state?.value ?? {})).toEqual([[name, nth]]);
      }
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
