import type { HistoryEntry } from "@agent-history/core";
import { agentView, task, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { allOf, compact, idsOf, listed, messages } from "./ask-store.ts";
import { ODD_CONTENTS, ODD_NAMES } from "./odd-names.ts";
import type { UseStores } from "./use-stores.ts";

/** Names and contents that go wrong elsewhere. */
export function describeOddTexts(stores: UseStores): void {
  describe("odd names", () => {
    it("name threads that stay apart", async () => {
      const { store } = await stores();
      for (const [index, name] of ODD_NAMES.entries()) {
        await store.append(name, messages(`m${index}`), { expectedVersion: "none" });
      }
      for (const [index, name] of ODD_NAMES.entries()) {
        expect(await idsOf(store, name)).toBe(`m${index}`);
      }
      const threadIds = await listed(store, { limit: Infinity });
      expect(threadIds.toSorted()).toEqual(ODD_NAMES.toSorted());
    });

    it("name threads that are deleted one by one", async () => {
      const { store } = await stores();
      for (const name of ODD_NAMES) await store.append(name, messages("a"));
      for (const [index, name] of ODD_NAMES.entries()) {
        await store.delete(name);
        const threadIds = await listed(store, { limit: Infinity });
        expect(threadIds.toSorted()).toEqual(ODD_NAMES.slice(index + 1).toSorted());
      }
    });

    it("name entries, which are known again", async () => {
      const { store } = await stores();
      const batch = messages(...ODD_NAMES);
      await store.append("t", batch);
      expect((await store.read("t")).entries).toEqual(batch);
      for (const [index, entry] of batch.entries()) {
        expect((await store.append("t", [entry])).duplicate).toBe(true);
        const query = { clauses: [{}], before: entry.id };
        expect((await store.read("t", { query })).entries).toEqual(batch.slice(0, index));
      }
    });

    it("name agents and phases, whose views stay apart", async () => {
      const { store } = await stores();
      await store.append("t", oddTasks());
      for (const [index, name] of ODD_NAMES.entries()) {
        const isOwn = { clauses: [{ agent: name }], view: agentView(name) };
        expect(await idsOf(store, "t", isOwn)).toBe(`task${index}`);
        expect(await idsOf(store, "t", { clauses: [{ phases: [name] }] })).toBe(`task${index}`);
        await compact(store, "t", `z${index}`, [`task${index}`, `task${index}`], {
          view: agentView(name),
          viewRevision: 0,
        });
      }
      for (const [index, name] of ODD_NAMES.entries()) {
        const { entries, viewRevision } = await store.read("t", { query: allOf(agentView(name)) });
        expect(entries.map(({ id }) => id)).toEqual(
          ODD_NAMES.map((_, nth) => (nth === index ? `z${nth}` : `task${nth}`)),
        );
        expect(viewRevision).toBe(1);
      }
    });
  });
  describeOddContents(stores);
}

function oddTasks(): readonly HistoryEntry[] {
  return ODD_NAMES.map((name, index) =>
    task({
      id: `task${index}`,
      createdAtMs: 0,
      content: name,
      phaseId: name,
      agent: { id: name, role: "worker" },
    }),
  );
}

function describeOddContents(stores: UseStores): void {
  describe("odd texts", () => {
    it("are kept to the last code unit", async () => {
      const { store, another } = await stores();
      const batch = ODD_CONTENTS.map((content, index) =>
        userMessage({ id: `m${index}`, createdAtMs: 0, content, metadata: { [content]: content } }),
      );
      await store.append("t", batch);
      for (const handle of [store, await another()]) {
        const { entries } = await handle.read("t");
        expect(entries.map((entry) => JSON.stringify(entry))).toHaveLength(batch.length);
        for (const [index, entry] of entries.entries()) {
          expect(entry.type === "user_message" && entry.content).toBe(ODD_CONTENTS[index]);
          expect(Object.entries(entry.metadata ?? {})).toEqual([
            [ODD_CONTENTS[index], ODD_CONTENTS[index]],
          ]);
        }
      }
    });

    it("name state and counters", async () => {
      const { store } = await stores();
      const names = ["", ...ODD_NAMES];
      for (const [index, name] of names.entries()) {
        await store.setState("t", name, { [name]: index }, { expectedRevision: 0 });
      }
      for (const [index, name] of names.entries()) {
        const state = await store.getState("t", name);
        expect(Object.entries(state?.value ?? {})).toEqual([[name, index]]);
      }
      const tokens = new Map(ODD_NAMES.map((name, index) => [name, [index]]));
      await store.append("t", messages("a"), { tokens });
      expect((await store.read("t")).tokens).toEqual(tokens);
    });
  });
}
