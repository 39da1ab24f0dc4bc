import { action, observation, task } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { allOf, codeOf, compact, idsOf, manyMessages, messages, replace } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** What replacing a suffix does to summaries, forks, state and long threads. */
export function describeReplacedViews(stores: UseStores): void {
  describe("replaceSuffix and views", () => {
    it("takes the summaries that cover what goes, and raises the revision of every view", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
      await compact(store, "t", "z2", ["c", "d"], { viewRevision: 1 });
      await compact(store, "t", "y", ["b", "d"], { viewRevision: 0, view: "conversation" });
      await replace(store, "d", ["e"]);
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z1 c e");
      expect(await idsOf(store, "t", allOf("conversation"))).toBe("a b c e");
      const revisions = async (): Promise<readonly number[]> =>
        Promise.all(
          (["thread", "conversation", "agent:w"] as const).map(
            async (view) => (await store.read("t", { query: allOf(view) })).viewRevision,
          ),
        );
      expect(await revisions()).toEqual([3, 2, 1]);
      expect(await codeOf(compact(store, "t", "z2", ["c", "e"], { viewRevision: 2 }))).toBe(
        "VERSION_CONFLICT",
      );
      expect(await compact(store, "t", "z2", ["c", "e"], { viewRevision: 3 })).toEqual({
        viewRevision: 4,
      });
      expect(
        await compact(store, "t", "x", ["a", "a"], { viewRevision: 1, view: "agent:w" }).catch(
          () => "nothing of the agent's",
        ),
      ).toBe("nothing of the agent's");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z1 z2");
      expect(await store.expand("t", "z1")).toEqual({ viewRevision: 5 });
      expect(await store.verify("t")).toEqual([]);
    });

    it("gives no summary the id of what was replaced", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await replace(store, "b", ["c"]);
      expect(await codeOf(compact(store, "t", "b", ["a", "c"], { viewRevision: 1 }))).toBe(
        "DUPLICATE_ID",
      );
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a c");
    });

    it("leaves layers whole or takes them", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "z1", ["b", "c"], { viewRevision: 0 });
      await compact(store, "t", "z2", ["a", "z1"], { viewRevision: 1 });
      await replace(store, "d", ["e"]);
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z2 e");
      await replace(store, "c", ["f", "z2"]);
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a b f z2");
      expect(await store.verify("t")).toEqual([]);
    });
  });
  describeReplacedForks(stores);
  describeReplacedTraces(stores);
}

function describeReplacedForks(stores: UseStores): void {
  describe("replaceSuffix and forks", () => {
    it("leaves forks what they share, deeper ones too, and their parents alone", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "z", ["b", "c"], { viewRevision: 0 });
      await store.fork("t", { at: "d", as: "x" });
      await store.append("t/x", messages("e"));
      await store.fork("t/x", { at: "d", as: "y" });
      await store.fork("t/x", { at: "e", as: "v" });
      await store.fork("t", { at: "b", as: "w" });
      await replace(store, "c", ["n"]);
      await replace(store, "d", ["m"], "t/x");
      await replace(store, "a", ["l"], "t/w");
      const shown = ["t", "t/x", "t/x/y", "t/x/v", "t/w"];
      expect(await Promise.all(shown.map((threadId) => idsOf(store, threadId)))).toEqual([
        "a b n",
        "a b c m",
        "a b c d",
        "a b c d e",
        "l",
      ]);
      expect(await idsOf(store, "t/x", allOf("thread"))).toBe("a z m");
      for (const threadId of shown) expect(await store.verify(threadId)).toEqual([]);
      await store.delete("t/x");
      await store.delete("t");
      await store.append("t/x/v", messages("f"));
      expect(await idsOf(store, "t/x/v")).toBe("a b c d e f");
      expect(await idsOf(store, "t/x/y")).toBe("a b c d");
      expect(await store.verify("t/x/y")).toEqual([]);
    });
  });
  describeForksOfOthers(stores);
}

function describeForksOfOthers(stores: UseStores): void {
  describe("replaceSuffix and forks of other handles", () => {
    it("leaves forks that another handle has begun since", async () => {
      const { store, another } = await stores();
      const second = await another();
      for (const threadId of ["t", "long"]) {
        await store.append(threadId, manyMessages("m", threadId === "t" ? 4 : 60));
        await second.append(threadId, messages("a", "b"));
        await store.fork(threadId, { at: "b", as: "x" });
        await replace(second, "m2", ["c"], threadId);
        await store.append(`${threadId}/x`, messages("d"));
        await second.fork(`${threadId}/x`, { at: "d", as: "y" });
        await replace(store, "a", ["e"], `${threadId}/x`);
        expect(await idsOf(second, threadId)).toBe("m0 m1 c");
        for (const fork of [`${threadId}/x`, `${threadId}/x/y`]) {
          expect(await second.verify(fork)).toEqual([]);
        }
        const { entries } = await second.read(`${threadId}/x/y`);
        expect(entries.slice(-3)).toEqual(messages("a", "b", "d"));
        expect((await store.read(`${threadId}/x`)).entries.at(-1)).toEqual(messages("e")[0]);
      }
    });

    it("leaves forks whole that begin at the same moment", async () => {
      const { store, another } = await stores();
      const second = await another();
      const ids = Array.from({ length: 50 }, (_, nth) => `m${nth}`);
      for (let round = 0; round < 4; round += 1) {
        const threadId = `t${round}`;
        await store.append(threadId, messages(...ids));
        await store.fork(threadId, { at: "m45", as: "x" });
        const begun = ["", "/x"].map(async (end) =>
          codeOf(store.fork(`${threadId}${end}`, { at: "m44", as: "y" })),
        );
        await Promise.all([...begun, replace(second, "m30", ["n"], threadId)]);
        expect(await idsOf(store, threadId)).toBe([...ids.slice(0, 30), "n"].join(" "));
        const [code] = await Promise.all(begun);
        const forks = [`${threadId}/x/y`, ...(code === undefined ? [`${threadId}/y`] : [])];
        for (const fork of forks) {
          expect(await idsOf(second, fork)).toBe(ids.slice(0, 45).join(" "));
          expect(await second.verify(fork)).toEqual([]);
        }
      }
    });
  });
  describeForksSince(stores);
}

function describeForksSince(stores: UseStores): void {
  describe("forks of what was replaced", () => {
    it("begins forks of what the thread is now, which know nothing of what was replaced", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"));
      await replace(store, "b", ["d"]);
      await store.fork("t", { at: "d", as: "x" });
      const { version, entryCount, viewRevision } = await store.read("t/x", {
        query: allOf("thread"),
      });
      expect([version, entryCount, viewRevision]).toEqual([2, 2, 0]);
      expect((await store.append("t/x", messages("b"))).duplicate).toBe(false);
      expect(await idsOf(store, "t/x")).toBe("a d b");
      expect(await idsOf(store, "t")).toBe("a d");
    });

    it("leaves state as it is", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await store.setState("t", "key", 1, { expectedRevision: 0 });
      await replace(store, "a", []);
      expect(await store.getState("t", "key")).toEqual({ value: 1, revision: 1 });
      await store.delete("t");
      expect(await codeOf(store.append("t", messages("a")))).toBe("THREAD_DELETED");
    });
  });
}

function describeReplacedTraces(stores: UseStores): void {
  describe("replaceSuffix and the index", () => {
    it("forgets calls, tasks and turns that went, and opens calls whose answers went", async () => {
      const { store } = await stores();
      const agent = { id: "w", role: "worker" } as const;
      const call = { id: "c1", name: "read", arguments: "{}" };
      const answer = { callId: "c1", toolName: "read", outcome: "success", agent } as const;
      await store.append("t", [
        ...messages("a"),
        task({ id: "t1", createdAtMs: 0, content: "go", agent }),
        action({ id: "call", createdAtMs: 0, toolCalls: [call], agent }),
        observation({ id: "o1", createdAtMs: 0, content: "one", ...answer }),
        ...messages("b"),
        task({ id: "t2", createdAtMs: 0, content: "again", agent, turnId: "second" }),
      ]);
      await store.replaceSuffix("t", {
        from: "o1",
        expectedVersion: 6,
        operationId: "o",
        replacement: [observation({ id: "o2", createdAtMs: 0, content: "two", ...answer })],
      });
      expect(await store.verify("t")).toEqual([]);
      const own = { clauses: [{ agent: "w", lastTask: { of: "w" } }] };
      expect(await idsOf(store, "t", own)).toBe("t1 call o2");
      await store.append("t", [
        task({ id: "t3", createdAtMs: 0, content: "third", agent, turnId: "second" }),
      ]);
      expect(await idsOf(store, "t", own)).toBe("t3");
      expect(await store.verify("t")).toEqual([]);
    });
  });
  describeLongReplacements(stores);
}

function describeLongReplacements(stores: UseStores): void {
  describe("replaceSuffix of a long thread", () => {
    it("cuts a long thread anywhere, and replaces by a long one", async () => {
      const { store } = await stores();
      for (let start = 0; start < 600; start += 150) {
        await store.append("t", messages(...idsFrom("m", start, start + 150)));
      }
      await store.fork("t", { at: "m520", as: "x" });
      await replace(store, "m501", idsFrom("n", 0, 90));
      await replace(store, "m333", idsFrom("k", 0, 400));
      expect(await idsOf(store, "t")).toBe(
        [...idsFrom("m", 0, 333), ...idsFrom("k", 0, 400)].join(" "),
      );
      expect(await idsOf(store, "t", { clauses: [{}], maxEntries: 2 })).toBe("k398 k399");
      expect(await store.verify("t")).toEqual([]);
      expect(await idsOf(store, "t/x")).toBe(idsFrom("m", 0, 521).join(" "));
      expect(await store.verify("t/x")).toEqual([]);
      await replace(store, "m1", ["end"]);
      expect(await idsOf(store, "t")).toBe("m0 end");
      await store.append("t", manyMessages("p", 40));
      expect(await store.verify("t")).toEqual([]);
      expect(await idsOf(store, "t/x")).toBe(idsFrom("m", 0, 521).join(" "));
    });

    it("shows a reader one state, while suffixes are replaced and entries appended", async () => {
      const { store, another } = await stores();
      await store.append("t", manyMessages("m", 300));
      const writer = await another();
      const progress = { isOver: false };
      const written = (async () => {
        let from = "m100";
        for (let round = 0; round < 6; round += 1) {
          await replace(writer, from, idsFrom(`r${round}-`, 0, 200));
          from = `r${round}-0`;
        }
      })().finally(() => (progress.isOver = true));
      while (!progress.isOver) {
        const { entries, entryCount, problems } = await store.read("t");
        expect([entries.length, problems]).toEqual([entryCount, []]);
        const rounds = new Set(entries.slice(100).map(({ id }) => id.split("-")[0]?.slice(0, 2)));
        if (entries[100]?.id !== "m100") expect(rounds.size).toBe(1);
      }
      await written;
      expect(await store.verify("t")).toEqual([]);
    });
  });
}

function idsFrom(prefix: string, start: number, end: number): readonly string[] {
  return Array.from({ length: end - start }, (_, index) => `${prefix}${start + index}`);
}
