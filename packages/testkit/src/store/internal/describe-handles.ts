import type { HistoryStore } from "@agent-history/core";
import { summary } from "@agent-history/core";
import { describe, expect } from "vitest";

import { allOf, codeOf, compact, idsOf, linesOf, messages, namesIn } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** Opening, closing, deleting, describing, and callers that have gone. */
export function describeHandles(it: StoreTest): void {
  describe("a handle", () => {
    it("finds what another has written, while that is open and after it closed", async ({
      store,
      another,
    }) => {
      const [second, third] = [await another(), await another()];
      await store.append("t", messages("a", "b"), { tokens: new Map([["n", [1, 2]]]) });
      await compact(store, "t", "z", ["a", "a"], { viewRevision: 0 });
      await store.setState("t", "key", 1, { expectedRevision: 0 });
      const written = await store.read("t");
      for (const [handle, closed] of [[second], [second, store], [third, second]] as const) {
        await closed?.close();
        expect(await handle.read("t")).toEqual(written);
        expect(await idsOf(handle, "t", allOf("thread"))).toBe("z b");
        expect(await handle.getState("t", "key")).toEqual({ value: 1, revision: 1 });
      }
      await third.expand("t", "z");
      expect(await idsOf(third, "t", allOf("thread"))).toBe("a b");
    });

    it("refuses every verb once it is closed, and is closed twice without harm", async ({
      store,
    }) => {
      await store.append("t", messages("a"));
      await store.close();
      await store.close();
      for (const verb of verbsOf(store)) expect(await codeOf(verb())).toBe("STORE_UNAVAILABLE");
      for (const last of [store.describe(), store.importThread("t", [])])
        expect(await codeOf(last)).toBe("STORE_UNAVAILABLE");
    });

    it("says what it is and what a crash may cost, and answers a ping, beginning nothing", async ({
      store,
    }) => {
      expect(await store.ping()).toBeUndefined();
      const { kind, durability, details } = await store.describe();
      expect([kind, durability].every((text) => text.length > 0)).toBe(true);
      expect(JSON.parse(JSON.stringify(details))).toEqual(details);
      expect(await store.verify("missing")).toEqual([]);
      expect(await namesIn(store)).toEqual([]);
    });
  });
  describe("a caller", () => {
    it("that awaits one call after another lets timers run", async ({ store }) => {
      const progress = { fired: 0 };
      const timer = setInterval(() => (progress.fired += 1), 0);
      for (const call of [
        (nth: number) => store.append("t", messages(`m${nth}`)),
        (nth: number) => store.setState("u", "key", nth, { expectedRevision: nth }),
        () => store.read("t", { query: { clauses: [{}], maxEntries: 1 } }),
      ]) {
        const { fired } = progress;
        for (let nth = 0; nth < 20_000 && progress.fired === fired; nth += 1) await call(nth);
        expect(progress.fired).toBeGreaterThan(fired);
      }
      clearInterval(timer);
    });

    it("that has gone changes nothing; a signal that does not fire changes nothing either", async ({
      store,
    }) => {
      await store.append("t", messages("a"));
      const fired = AbortSignal.abort();
      for (const verb of verbsOf(store, fired)) expect(await codeOf(verb())).toBe("ABORTED");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a");
      expect(await namesIn(store)).toEqual(["t"]);
      const { signal } = new AbortController();
      for (const verb of verbsOf(store, signal)) expect(await codeOf(verb())).toBeUndefined();
    });
  });

  describe("delete", () => {
    it("leaves a tombstone that every verb meets, on every handle, also where there was no thread", async ({
      store,
      another,
    }) => {
      await store.append("t", messages("a"));
      await store.append("t/x", messages("d"));
      await store.setState("t", "key", 1, { expectedRevision: 0 });
      const late = await another();
      await late.read("t");
      await store.delete("t");
      for (const handle of [store, late, await another()])
        for (const verb of threadVerbs(handle, {}))
          expect(await codeOf(verb())).toBe("THREAD_DELETED");
      for (const expectedVersion of ["none", "exists", "any", 0, 1] as const)
        for (const batch of [messages("a"), []]) {
          const retry = late.append("t", batch, { expectedVersion });
          expect(await codeOf(retry)).toBe("THREAD_DELETED");
        }
      await store.delete("t");
      expect(await namesIn(store)).toEqual(["t/x"]);
      await store.delete("t", { includeForks: true });
      await store.delete("never");
      expect(await codeOf(store.append("never", messages("a")))).toBe("THREAD_DELETED");
      expect(await namesIn(store)).toEqual([]);
    });
  });
}

/** Every verb that takes a signal; each works on a thread `t` that has an entry `a`, in this order. */
function verbsOf(store: HistoryStore, signal?: AbortSignal): readonly (() => Promise<unknown>)[] {
  const options = signal === undefined ? {} : { signal };
  return [...threadVerbs(store, options), ...otherVerbs(store, options)];
}

/** Those that a deleted thread refuses. */
function threadVerbs(
  store: HistoryStore,
  options: { readonly signal?: AbortSignal },
): readonly (() => Promise<unknown>)[] {
  const fields = { content: "", strategy: "s", trust: "user", createdAtMs: 0 } as const;
  const replacement = { from: "b", replacement: [], operationId: "o", ...options };
  const commit = {
    view: "thread",
    summary: summary({ id: "z", ...fields }),
    covers: [{ from: "a", to: "a" }],
    expectedViewRevision: 1,
    ...options,
  } as const;
  return [
    () => store.append("t", messages("b"), options),
    () => store.replaceSuffix("t", { expectedVersion: "any", ...replacement }),
    () => store.read("t", options),
    () => store.commitCompaction("t", commit),
    () => store.expand("t", "z", options),
    () => store.getState("t", "key", options),
    () => store.setState("t", "key", 1, { expectedRevision: 0, ...options }),
    () => store.listState("t", options),
    () => store.fork("t", { at: "a", as: "x", ...options }),
    () => store.getMetadata("t", options),
    () => store.setMetadata("t", { title: "x" }, options),
    () => store.listSummaries("t", options),
    () => store.verify("t", options),
    () => linesOf(store, "t", options),
  ];
}

function otherVerbs(
  store: HistoryStore,
  options: { readonly signal?: AbortSignal },
): readonly (() => Promise<unknown>)[] {
  return [
    () => store.list(options),
    () => store.list({ user: "ada", ...options }),
    () => store.ping(options),
    () => store.delete("t", options),
  ];
}
