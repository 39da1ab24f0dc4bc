import type { HistoryEntry } from "@agent-history/core";
import {
  ENTRY_TYPES,
  EXECUTION_TRACE_TYPES,
  agentView,
  customEntry,
  isOverlay,
  userMessage,
} from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { asPlainJson, codeOf, compact, idsOf } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

const worker = { id: "w1", role: "worker" } as const;

/** Entries of the user's own types: kept whole, shown where nothing asks for types, and where a clause names theirs. */
export function describeOwnTypes(stores: UseStores, runs: number): void {
  describe("an entry of a type of the user's own", () => {
    it("comes back whole, and a retry of it writes nothing", async () => {
      const { store, another } = await stores();
      await store.append("t", ownEntries);
      expect(await store.read("t")).toMatchObject({ entries: ownEntries, problems: [] });
      expect((await (await another()).read("t")).entries).toEqual(ownEntries);
      expect(await store.append("t", ownEntries)).toEqual({ version: 4, duplicate: true });
      expect(await store.verify("t")).toEqual([]);
      const altered = customEntry({ ...note, stars: 4 });
      expect(await codeOf(store.append("t", [altered]))).toBe("DUPLICATE_ID");
    });

    it("comes back whole, whatever its fields hold", async () => {
      const { store } = await stores();
      let nth = 0;
      const type = fc.constantFrom("note", "__proto__", "constructor", "own", "Ü 漢", "*");
      const given = fc.tuple(type, arbitraryEntry(), fc.jsonValue({ maxDepth: 3 }));
      await fc.assert(
        fc.asyncProperty(given, async ([name, entry, json]) => {
          const { id, createdAtMs, metadata = {} } = entry;
          const own = customEntry({ ...metadata, type: name, id, createdAtMs, payload: json });
          await store.append(`t${(nth += 1)}`, [own]);
          expect((await store.read(`t${nth}`)).entries).toEqual([asPlainJson(own)]);
        }),
        { numRuns: runs },
      );
    });
  });
  describeQueriesOfOwnTypes(stores);
}

function describeQueriesOfOwnTypes(stores: UseStores): void {
  describe("a query, with entries of types of the user's own", () => {
    it("shows them by clauses that ask for no types, or name theirs", async () => {
      const { store } = await stores();
      await store.append("t", ownEntries);
      const clauses = [{}];
      expect(await idsOf(store, "t", { clauses })).toBe("u1 n1 n2 e1");
      expect(await idsOf(store, "t", { clauses, view: "thread", maxEntries: 2 })).toBe("n2 e1");
      expect(await idsOf(store, "t", { clauses: [{ agent: "w1" }] })).toBe("n2");
      expect(await idsOf(store, "t", { clauses: [{ types: ["user_message", "error"] }] })).toBe(
        "u1",
      );
      expect(await idsOf(store, "t", { clauses: [{ types: ["note"] }] })).toBe("n1 n2");
      const since = { clauses: [{ types: ["note", "user_message"] }], after: "u1", maxEntries: 1 };
      expect(await idsOf(store, "t", since)).toBe("n2");
      expect(await idsOf(store, "t", { clauses: [{ types: ["event"], unowned: true }] })).toBe(
        "e1",
      );
      expect(await idsOf(store, "t", { clauses: [{ types: ["own", "custom"] }] })).toBe("");
    });

    it("does not show them by the clauses of roles, which name built-in types", async () => {
      const { store } = await stores();
      await store.append("t", ownEntries);
      const turn = { newest: true } as const;
      const trace = { types: EXECUTION_TRACE_TYPES, turn, agent: "w1" };
      expect(await idsOf(store, "t", { clauses: [trace], view: agentView("w1") })).toBe("");
      expect(await idsOf(store, "t", { clauses: [{ types: ENTRY_TYPES, turn }] })).toBe("u1");
      expect(await idsOf(store, "t", { clauses: [{ turn, agent: "w1" }] })).toBe("n2");
    });

    it("leaves out those that a summary of their agent's view covers, until it is expanded", async () => {
      const { store } = await stores();
      await store.append("t", ownEntries);
      const view = agentView("w1");
      await compact(store, "t", "z", ["n2", "n2"], { view, viewRevision: 0 });
      expect(await idsOf(store, "t", { clauses: [{ agent: "w1" }], view })).toBe("");
      const shown = await store.read("t", { query: { clauses: [{}], view } });
      expect(shown.entries.map((entry) => (isOverlay(entry) ? "summary" : entry.id))).toEqual([
        "u1",
        "n1",
        "summary",
        "e1",
      ]);
      const fork = await store.fork("t", { at: "n2", as: "fork" });
      expect(await idsOf(store, fork.threadId)).toBe("u1 n1 n2");
      expect(await store.verify(fork.threadId)).toEqual([]);
      await store.expand("t", "z");
      expect(await idsOf(store, "t", { clauses: [{ agent: "w1" }], view })).toBe("n2");
    });
  });
}

const note = { type: "note", id: "n1", createdAtMs: 2, content: "Likes tea.", stars: 5 } as const;

const ownEntries: readonly HistoryEntry[] = [
  userMessage({ id: "u1", createdAtMs: 1, content: "Hello" }),
  customEntry(note),
  customEntry({
    type: "note",
    id: "n2",
    createdAtMs: 3,
    agent: worker,
    content: [{ type: "text", text: "Found it." }],
    metadata: { a: 1 },
  }),
  customEntry({ type: "event", id: "e1", createdAtMs: 4, payload: { clicked: [null, 0.5] } }),
];
