import type { HistoryStore } from "@agent-history/core";
import { agentView, summary } from "@agent-history/core";
import { arbitraryHistory } from "@agent-history/testkit";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { stores } from "../test-support/open-stores.ts";
import type { OpenStores } from "../test-support/open-stores.ts";

const opened: Promise<readonly (readonly [name: string, opened: OpenStores])[]> = Promise.all(
  Object.entries(stores).map(async ([name, start]) => [name, await start()] as const),
);
afterAll(async () => {
  for (const [, { close }] of await opened) await close();
});

const NAMES = Object.keys(stores);

describe.each(NAMES)("a thread that moves from %s to each store", (from) => {
  it("gives the same lines and reads in each", async () => {
    const [history = []] = fc.sample(
      arbitraryHistory({ maxEntries: 60 }).filter(({ length }) => length > 20),
      { seed: 7, numRuns: 1 },
    );
    const one = await storeOf(from);
    await writeThread(one, from, history);
    const lines = await linesOf(one, from);
    const names = ["", "/fork", "/fork/again"];
    const shown: unknown[] = [];
    for (const name of names) shown.push(await shownOf(one, `${from}${name}`, history));
    for (const to of NAMES) {
      const other = await storeOf(to);
      const otherId = `from ${from}`;
      await other.importThread(otherId, lines);
      expect(await linesOf(other, otherId)).toEqual(lines);
      const moved: unknown[] = [];
      for (const name of names) moved.push(await shownOf(other, `${otherId}${name}`, history));
      expect(moved).toEqual(shown);
      expect(await other.verify(otherId)).toEqual([]);
      const { duplicate } = await other.importThread(otherId, one.exportThread(from));
      expect(duplicate).toBe(true);
    }
  });
});

type History = Parameters<HistoryStore["append"]>[1];

/** Writes a history with counts, an end that is replaced, two layers, a fork of a fork, state and metadata. */
async function writeThread(store: HistoryStore, threadId: string, history: History): Promise<void> {
  const about = { createdAtMs: 1, strategy: "whole", trust: "user", content: "short" } as const;
  const memory = { type: "memory", createdAtMs: 1, content: "\uD800 猫 \u0000" } as const;
  await store.append(threadId, [
    { ...memory, id: "first" },
    { ...memory, id: "__proto__" },
    { ...memory, id: "third" },
  ]);
  const counts = history.map((_, nth) => nth);
  await store.append(threadId, history, { tokens: new Map([["counter", counts]]) });
  await store.append(threadId, [{ ...memory, id: "replaced" }]);
  await store.fork(threadId, { at: "__proto__", as: "fork" });
  await store.append(`${threadId}/fork`, [{ ...memory, id: "own" }]);
  await store.fork(`${threadId}/fork`, { at: "own", as: "again" });
  await store.replaceSuffix(threadId, {
    from: "replaced",
    expectedVersion: "any",
    replacement: [{ ...memory, id: "instead" }],
    operationId: "edit",
  });
  const layers = [
    ["low", "first", "__proto__"],
    ["top", "low", "third"],
  ] as const;
  for (const [nth, [id, start, end]] of layers.entries()) {
    await store.commitCompaction(threadId, {
      view: "thread",
      summary: summary({ ...about, id }),
      covers: [{ from: start, to: end }],
      expectedViewRevision: nth + 1,
    });
  }
  await store.setState(threadId, "__proto__", { b: 1, a: [null] }, { expectedRevision: 0 });
  await store.setMetadata(`${threadId}/fork`, { title: "Other", user: "ada", tags: ["z", "a"] });
}

async function shownOf(
  store: HistoryStore,
  threadId: string,
  history: History,
): Promise<readonly unknown[]> {
  const agents = new Set(history.flatMap(({ agent }) => (agent === undefined ? [] : agent.id)));
  const shown: unknown[] = [];
  for (const view of ["thread", "conversation", ...[...agents].map(agentView)] as const) {
    const { entries, tokens } = await store.read(threadId, { query: { clauses: [{}], view } });
    shown.push([view, entries, tokens]);
  }
  const { entries, tokens, entryCount } = await store.read(threadId, { originals: true });
  const { value } = (await store.getState(threadId, "__proto__")) ?? {};
  const { title, user, tags } = (await store.getMetadata(threadId)) ?? {};
  return [...shown, entries, tokens, entryCount, value, title, user, tags];
}

async function linesOf(store: HistoryStore, threadId: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of store.exportThread(threadId)) lines.push(line);
  return lines;
}

async function storeOf(name: string): Promise<HistoryStore> {
  const found = (await opened).find(([known]) => known === name);
  if (found === undefined) throw new Error(`Expected a store ${name}.`);
  return found[1].open();
}
