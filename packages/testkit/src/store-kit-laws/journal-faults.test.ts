import { assistantMessage, isHistoryError, userMessage } from "@agent-history/core";
import type { HistoryErrorCode, HistoryStore } from "@agent-history/core";
import { journalStore } from "@agent-history/store-kit";
import type { Journal } from "@agent-history/store-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arrayJournal } from "../../test-support/array-journal.ts";
import { lawRuns } from "../law-runs.ts";

const question = userMessage({ id: "u1", content: "Is it there?" });
const answer = assistantMessage({ id: "a1", content: "Yes." });
const LOG = "thread-t";

describe("journalStore, where its log fails", () => {
  it("writes one record for each change, and none for what is refused or there already", async () => {
    const { store, records } = newStore();
    await store.append("t", [question]);
    expect(await codeOf(store.append("t", [answer], { expectedVersion: 0 }))).toBe(
      "VERSION_CONFLICT",
    );
    await store.append("t", [question]);
    await store.append("t", []);
    expect(records()).toHaveLength(1);
  });

  it("makes what is there already as durable as a write, before it says so", async () => {
    const flushed: number[] = [];
    const { store, journal } = newStore();
    await store.append("t", [question]);
    await store.setState("t", "lock", 1, { expectedRevision: 0 });
    const other = journalStore({
      ...journal,
      append: async (log, records) => {
        flushed.push(records.length);
        await journal.append(log, records);
      },
    });
    expect((await other.append("t", [question])).duplicate).toBe(true);
    await other.delete("t");
    await other.delete("t");
    expect(flushed).toEqual([0, 0]);
  });

  it("decides again where another writer came between its look and its record", async () => {
    const { store, journal, records } = newStore();
    const other = journalStore(journal);
    await store.append("t", [question]);
    await other.read("t");
    const results = await Promise.all([
      codeOf(store.append("t", [answer], { expectedVersion: 1 })),
      codeOf(other.append("t", [{ ...answer, id: "a2" }], { expectedVersion: 1 })),
    ]);
    expect(new Set(results)).toEqual(new Set(["VERSION_CONFLICT", undefined]));
    // The record of the one that came second stays in the log, and counts for nobody.
    expect(records()).toHaveLength(3);
    expect(await journalStore(journal).read("t")).toMatchObject({ version: 2, problems: [] });
    expect(await journalStore(journal).verify("t")).toEqual([]);
  });

  it("says that the outcome is unknown where a write failed, which may count later or never", async () => {
    const { store, journal } = newStore();
    await store.append("t", [question]);
    let lateRecords: readonly string[] = [];
    const failing = journalStore({
      ...journal,
      append: async (_, records) => {
        lateRecords = records;
        throw new Error("The answer was lost");
      },
    });
    expect(await codeOf(failing.setState("t", "lock", 1, { expectedRevision: 0 }))).toBe(
      "OUTCOME_UNKNOWN",
    );
    await store.setState("t", "lock", 1, { expectedRevision: 0 });
    await journal.append(LOG, lateRecords);
    expect(await store.getState("t", "lock")).toEqual({ value: 1, revision: 1 });
  });

  it("says STORE_UNAVAILABLE where the log cannot be read, under our code", async () => {
    const { journal } = newStore();
    const read = async (): Promise<never> => Promise.reject(new Error("gone"));
    const store = journalStore({ ...journal, read, list: read });
    expect(await codeOf(store.read("t"))).toBe("STORE_UNAVAILABLE");
    expect(await codeOf(store.append("t", [question]))).toBe("STORE_UNAVAILABLE");
    expect(await codeOf(store.list())).toBe("STORE_UNAVAILABLE");
  });

  it("passes over the remains of a record whose writer ended, also of the first", async () => {
    for (const before of [[], [question]]) {
      const { store, journal, logs } = newStore();
      if (before.length > 0) await store.append("t", before);
      logs.set(LOG, [...(logs.get(LOG) ?? []), '{"sum":"cut of']);
      const after = journalStore(journal);
      await after.append("t", [answer]);
      const { entries, problems } = await after.read("t");
      expect([entries, problems]).toEqual([[...before, answer], []]);
      expect(await after.verify("t")).toEqual([
        expect.objectContaining({ position: before.length, kind: "broken" }),
      ]);
    }
  });

  it("reports entries whose record is damaged by position, and those behind keep theirs", async () => {
    const { store, journal, logs } = newStore();
    await store.append("t", [question]);
    await store.append("t", [answer, { ...answer, id: "a2" }]);
    await store.append("t", [{ ...answer, id: "a3" }], { expectedVersion: 3 });
    logs.set(
      LOG,
      (logs.get(LOG) ?? []).map((text, nth) => (nth === 1 ? text.replace("Yes", "No!") : text)),
    );
    const { entries, problems, version } = await journalStore(journal).read("t");
    expect(entries.map(({ id }) => id)).toEqual(["u1", "a3"]);
    expect(version).toBe(4);
    expect(problems.map(({ position }) => position)).toEqual([1, 1, 2]);
  });

  it("refuses a log that became shorter under a handle", async () => {
    const { store, journal, logs } = newStore();
    await store.append("t", [question]);
    await store.append("t", [answer]);
    logs.set(LOG, (logs.get(LOG) ?? []).slice(0, 1));
    expect(await codeOf(store.append("t", [{ ...answer, id: "a2" }]))).toBe("HISTORY_REWOUND");
    expect((await journalStore(journal).read("t")).version).toBe(1);
  });

  it("deletes whatever other handles know of it", async () => {
    const { store, journal, records } = newStore();
    const other = journalStore(journal);
    await store.append("t", [question]);
    await other.read("t");
    await store.delete("t");
    expect(records().join("")).not.toContain(question.content);
    expect(await codeOf(other.read("t"))).toBe("THREAD_DELETED");
    expect(await codeOf(other.append("t", [answer]))).toBe("THREAD_DELETED");
  });

  it("reads any lines with a typed error or a result, and no error quotes them", async () => {
    const { store, records } = newStore();
    await store.append("t", [question], { tokens: new Map([["counter", [4]]]) });
    await store.setState("t", "plan", { secret: "SECRET" }, { expectedRevision: 0 });
    const sound = records();
    const line = fc.oneof(
      fc.constantFrom(...sound),
      fc.string(),
      fc.json(),
      fc.tuple(fc.constantFrom(...sound), fc.nat(400)).map(([text, at]) => text.slice(0, at)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (lines) => {
        const hostile = journalStore(arrayJournal(new Map([[LOG, lines]])));
        for (const call of [
          hostile.read("t"),
          hostile.verify("t"),
          hostile.getState("t", "plan"),
          hostile.append("t", [answer]),
          hostile.fork("t", { at: "u1", as: "f" }),
          hostile.list(),
        ]) {
          const error: unknown = await call.then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          if (error !== undefined && !isHistoryError(error)) throw error;
          expect(String(error)).not.toContain("SECRET");
        }
      }),
      { numRuns: lawRuns(60) },
    );
  });
});

interface NewStore {
  readonly store: HistoryStore;
  readonly journal: Journal;
  readonly logs: Map<string, readonly string[]>;
  readonly records: () => readonly string[];
}

function newStore(): NewStore {
  const logs = new Map<string, readonly string[]>();
  const journal = arrayJournal(logs);
  return { store: journalStore(journal), journal, logs, records: () => logs.get(LOG) ?? [] };
}

async function codeOf(call: Promise<unknown>): Promise<HistoryErrorCode | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (isHistoryError(error)) return error.code;
    throw error;
  }
}
