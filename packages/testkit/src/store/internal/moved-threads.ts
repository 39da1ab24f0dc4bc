import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import * as fc from "fast-check";
import { expect } from "vitest";

import { viewsOf } from "./arbitrary-thread.ts";
import { messages } from "./ask-store.ts";
import { arbitraryCommands } from "./store-commands.ts";
import type { Duel } from "./store-commands.ts";

/** Generates memory stores that have a thread `a`, with whatever a row of verbs left: forks, layers, replaced suffixes, state, metadata. */
export function generatedThreads(): fc.Arbitrary<() => Promise<HistoryStore>> {
  return fc.commands([...arbitraryCommands()], { maxCommands: 40 }).map((commands) => async () => {
    const store = memoryStore();
    const duel: Duel = { reference: memoryStore(), sent: [], threadIds: ["a", "b"] };
    await store.append("a", messages("first"));
    await duel.reference.append("a", messages("first"));
    const kept: HistoryStore = { ...store, delete: async () => undefined };
    const reference: HistoryStore = { ...duel.reference, delete: async () => undefined };
    await fc.asyncModelRun(() => ({ model: { ...duel, reference }, real: kept }), commands);
    return store;
  });
}

/** The lines of an export. */
export async function linesOf(
  store: HistoryStore,
  threadId: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of store.exportThread(threadId, { signal })) lines.push(line);
  return lines;
}

/** Cuts a text anywhere. */
export function* piecesOf(lines: readonly string[], size: number): Generator<string> {
  const text = lines.join("");
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

/** Compares what reads show of two threads and of those below them. */
export async function expectSameRead(
  one: HistoryStore,
  oneId: string,
  other: HistoryStore,
  otherId: string,
): Promise<void> {
  const below = await namesBelow(one, oneId);
  expect(await namesBelow(other, otherId)).toEqual(below);
  for (const name of below) {
    const shown = await shownOf(one, `${oneId}${name}`);
    expect(await shownOf(other, `${otherId}${name}`)).toEqual(shown);
    expect(await other.verify(`${otherId}${name}`)).toEqual([]);
  }
}

async function namesBelow(store: HistoryStore, threadId: string): Promise<readonly string[]> {
  const { threads } = await store.list({ prefix: `${threadId}/`, limit: Infinity });
  const names = threads.map((thread) => thread.threadId.slice(threadId.length));
  return ["", ...names.toSorted()];
}

async function shownOf(store: HistoryStore, threadId: string): Promise<unknown> {
  const { entries, tokens, entryCount } = await store.read(threadId, { originals: true });
  const views: unknown[] = [];
  for (const view of viewsOf(entries)) {
    const read = await store.read(threadId, { query: { clauses: [{}], view } });
    views.push([view, read.entries, read.tokens]);
  }
  const state = (await store.listState(threadId, { limit: Infinity })).items;
  const { title, user, tags, isFork } = (await store.getMetadata(threadId)) ?? {};
  const values = state
    .map(({ key, value }) => ({ key, value }))
    .toSorted((first, second) => (first.key < second.key ? -1 : 1));
  return { entries, tokens, entryCount, views, values, title, user, tags, isFork };
}
