import type {
  ExpectedVersion,
  HistoryEntry,
  HistoryStore,
  HistoryView,
  JsonValue,
  ThreadMetadata,
} from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import * as fc from "fast-check";
import { expect } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { arbitraryQuery } from "../../arbitrary-query.ts";
import { arbitraryQueryOf } from "./arbitrary-query.ts";
import { overlayOf, viewsOf } from "./arbitrary-thread.ts";
import { asPlainJson } from "./ask-store.ts";

/** What a command works on: the reference, the store under test, and what was sent so far. */
export interface Duel {
  readonly reference: HistoryStore;
  readonly sent: { readonly threadId: string; readonly batch: readonly HistoryEntry[] }[];
  readonly threadIds: string[];
}

/** One verb with its choices. It is worked out on the reference, done on both, and the outcomes are compared. */
export type StoreCommand = fc.AsyncCommand<Duel, HistoryStore>;

type Verb = (store: HistoryStore) => Promise<unknown>;

/** Generates commands for every verb that writes or reads. */
export function arbitraryCommands(): readonly fc.Arbitrary<StoreCommand>[] {
  return [
    appends(),
    appends(),
    retries(),
    replacements(),
    reads(),
    commits(),
    commits(),
    expansions(),
    states(),
    forks(),
    deletions(),
    listings(),
    metadata(),
  ];
}

/** Makes a command of a description and a way to work the verb out. */
function command(
  text: string,
  choose: (duel: Duel) => Verb | undefined | Promise<Verb | undefined>,
): StoreCommand {
  return {
    check: () => true,
    run: async (duel, store) => {
      const verb = await choose(duel);
      if (verb === undefined) return;
      const expected = await outcomeOf(verb(duel.reference));
      const actual = await outcomeOf(verb(store));
      expect(actual).toEqual(expected);
    },
    toString: () => text,
  };
}

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await work };
  } catch (error) {
    if (isHistoryError(error)) return { code: error.code };
    throw error;
  }
}

const nat = fc.nat({ max: 999 });

function appends(): fc.Arbitrary<StoreCommand> {
  const batches = fc.array(arbitraryEntry(), { maxLength: 6 });
  const versions = fc.constantFrom<(ExpectedVersion | "right")[]>(
    "any",
    "none",
    "exists",
    "right",
    0,
    3,
  );
  return fc.tuple(nat, batches, nat, versions).map(([thread, entries, salt, expected]) =>
    command(`append ${entries.length} to ${thread}, expecting ${expected}`, async (duel) => {
      const threadId = threadOf(duel, thread);
      const batch = entries.map((entry, index) => ({ ...entry, id: `e${salt % 40}-${index}` }));
      const right = expected === "right" ? await versionOf(duel, threadId) : expected;
      duel.sent.push({ threadId, batch });
      return (store) => store.append(threadId, batch, { expectedVersion: right });
    }),
  );
}

function retries(): fc.Arbitrary<StoreCommand> {
  return nat.map((choice) =>
    command(`retry ${choice}`, ({ sent }) => {
      const known = sent[choice % Math.max(1, sent.length)];
      return known && ((store) => store.append(known.threadId, known.batch));
    }),
  );
}

/** Some are new operations, some repeat one, with the same content or another. Batches go to `sent`, for late retries of what was replaced. */
function replacements(): fc.Arbitrary<StoreCommand> {
  const batches = fc.array(arbitraryEntry(), { maxLength: 4 });
  const choices = fc.tuple(nat, nat, batches, nat, fc.nat({ max: 12 }), fc.boolean());
  return choices.map(([thread, entryIndex, entries, salt, operation, isRight]) =>
    command(`replace from ${entryIndex} of ${thread} by ${entries.length}`, async (duel) => {
      const threadId = threadOf(duel, thread);
      const log = await logOf(duel, threadId);
      const from = log[entryIndex % Math.max(1, log.length)]?.id ?? "gone";
      const replacement = entries.map((entry, index) => ({
        ...entry,
        id: `e${salt % 40}-${index}`,
      }));
      const version = await versionOf(duel, threadId);
      duel.sent.push({ threadId, batch: replacement });
      return (store) =>
        store.replaceSuffix(threadId, {
          from,
          expectedVersion: isRight ? version : "any",
          replacement,
          operationId: operation < 9 ? `o${salt}` : "often",
        });
    }),
  );
}

function reads(): fc.Arbitrary<StoreCommand> {
  return fc.tuple(nat, nat, fc.boolean()).map(([thread, seed, originals]) =>
    command(`read ${thread} by query ${seed}`, async (duel) => {
      const threadId = threadOf(duel, thread);
      const log = await logOf(duel, threadId);
      const [query = { clauses: [{}] }] = fc.sample(
        fc.oneof(arbitraryQuery(log), arbitraryQueryOf(log)),
        { seed, numRuns: 1 },
      );
      return async (store) => {
        const { tokens: _tokens, ...read } = await store.read(threadId, { query, originals });
        return read;
      };
    }),
  );
}

function commits(): fc.Arbitrary<StoreCommand> {
  const choices = fc.tuple(nat, nat, nat, fc.nat({ max: 8 }), fc.nat({ max: 9 }));
  return choices.map(([thread, whose, start, length, salt]) =>
    command(`commit ${start}+${length} of view ${whose} of ${thread}`, async (duel) => {
      const threadId = threadOf(duel, thread);
      const log = await logOf(duel, threadId);
      const view = viewOf(log, whose);
      const read = await duel.reference
        .read(threadId, { query: { clauses: [{}], view } })
        .catch(none);
      const overlay = read && overlayOf(shownAsLog(read.entries), view, start, length);
      if (read === undefined || overlay === undefined) return undefined;
      const id = `z${salt}`;
      const expectedViewRevision = read.viewRevision - (salt === 0 ? 1 : 0);
      const commit = {
        view,
        summary: { ...overlay, id },
        covers: overlay.covers,
        expectedViewRevision,
      };
      return (store) => store.commitCompaction(threadId, commit);
    }),
  );
}

/** What a view shows, as a log of its own: the summaries in it are entries like others. */
function shownAsLog(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return entries.map((entry) => {
    if (entry.type !== "summary" || entry.view === undefined) return entry;
    const { view, covers: _covers, ...inLog } = entry;
    const isAgents = view.startsWith("agent:");
    const agent = { id: view.slice("agent:".length), role: "worker" } as const;
    const { agent: _agent, ...unowned } = inLog;
    return isAgents
      ? { ...inLog, agent }
      : { ...unowned, type: "user_message" as const, content: "" };
  });
}

function expansions(): fc.Arbitrary<StoreCommand> {
  return fc.tuple(nat, fc.nat({ max: 9 })).map(([thread, salt]) =>
    command(`expand z${salt} of ${thread}`, (duel) => {
      const threadId = threadOf(duel, thread);
      return (store) => store.expand(threadId, `z${salt}`);
    }),
  );
}

function states(): fc.Arbitrary<StoreCommand> {
  const keys = fc.constantFrom("a", "__proto__");
  const choices = fc.tuple(nat, keys, fc.nat({ max: 3 }), fc.json(), fc.nat({ max: 3 }));
  return choices.map(([thread, key, expectedRevision, json, luck]) =>
    command(`state ${key} of ${thread}`, (duel) => {
      const threadId = threadOf(duel, thread);
      return async (store) => {
        const value: JsonValue | undefined = expectedRevision === 2 ? undefined : JSON.parse(json);
        const current = await store.getState(threadId, key).catch(none);
        const written = await outcomeOf(
          store.setState(threadId, key, value, {
            expectedRevision: luck < 2 ? (current?.revision ?? 0) : expectedRevision,
          }),
        );
        return {
          written,
          read: await store.getState(threadId, key),
          listed: await store.listState(threadId),
        };
      };
    }),
  );
}

function forks(): fc.Arbitrary<StoreCommand> {
  return fc.tuple(nat, nat, fc.constantFrom("x", "y", "a/b")).map(([thread, index, as]) =>
    command(`fork ${thread} at ${index} as ${as}`, async (duel) => {
      const threadId = threadOf(duel, thread);
      const log = await logOf(duel, threadId);
      const at = log[index % Math.max(1, log.length)]?.id ?? "gone";
      if (!duel.threadIds.includes(`${threadId}/${as}`)) duel.threadIds.push(`${threadId}/${as}`);
      return (store) => store.fork(threadId, { at, as });
    }),
  );
}

function deletions(): fc.Arbitrary<StoreCommand> {
  return fc.tuple(nat, fc.nat({ max: 3 })).map(([thread, luck]) =>
    command(`delete ${thread}`, (duel) => {
      const threadId = threadOf(duel, thread);
      return luck === 0 ? (store) => store.delete(threadId) : undefined;
    }),
  );
}

function listings(): fc.Arbitrary<StoreCommand> {
  return fc.constantFrom("", "a", "a/", "b").map((prefix) =>
    command(`list ${prefix}`, () => async (store) => {
      const { threads } = await store.list({ prefix, limit: Infinity });
      const sorted = threads.toSorted((one, other) => (one.threadId < other.threadId ? -1 : 1));
      return sorted.map(withoutTimes);
    }),
  );
}

function metadata(): fc.Arbitrary<StoreCommand> {
  const text = fc.constantFrom("x", "y z", "👍", "\u0000");
  const change = fc.record(
    { title: fc.option(text), user: fc.option(text), tags: fc.array(text, { maxLength: 3 }) },
    { requiredKeys: [] },
  );
  return fc.tuple(nat, change).map(([thread, about]) =>
    command(`metadata of ${thread}: ${JSON.stringify(about)}`, (duel) => {
      const threadId = threadOf(duel, thread);
      return async (store) => {
        const changed = withoutTimes(await store.setMetadata(threadId, about));
        const { threads } = await store.list({ user: about.user ?? "x", limit: Infinity });
        return [changed, threads.map(({ threadId: id }) => id).includes(threadId)];
      };
    }),
  );
}

/** Two stores have clocks of their own. */
function withoutTimes({ createdAtMs: _, updatedAtMs: __, ...others }: ThreadMetadata): unknown {
  return others;
}

function threadOf({ threadIds }: Duel, choice: number): string {
  return threadIds[choice % threadIds.length] ?? "a";
}

function viewOf(log: readonly HistoryEntry[], choice: number): HistoryView {
  const views = viewsOf(log);
  return views[choice % Math.min(3, views.length)] ?? "thread";
}

async function versionOf({ reference }: Duel, threadId: string): Promise<number> {
  const read = await reference.read(threadId).catch(none);
  return read?.version ?? 0;
}

async function logOf({ reference }: Duel, threadId: string): Promise<readonly HistoryEntry[]> {
  const read = await reference.read(threadId).catch(none);
  return asPlainJson(read?.entries ?? []);
}

function none(): undefined {
  return undefined;
}
