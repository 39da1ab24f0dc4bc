import {
  applyCompactions,
  checkHistory,
  findLastTask,
  findQuestion,
  groupExchanges,
  isHistoryError,
  isInView,
  mendHistory,
  messageRole,
  pairCalls,
  sameJson,
  selectEntries,
  splitTurns,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { selectPage } from "@agent-history/core/query-parts";
import { parseEntry } from "@agent-history/core/schema";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryHistory } from "../arbitrary-history.ts";
import { lawRuns } from "../law-runs.ts";
import { strangeEntries } from "../strange-values.ts";

const history = fc.sample(arbitraryHistory(), { numRuns: 40, seed: 7 }).flat();
const samples = [...new Map(history.map((entry) => [entry.type, entry])).values()];
const strange = strangeEntries<HistoryEntry>(samples);
/** By their places: they cannot all be printed. */
const place = fc.nat({ max: strange.length - 1 });
const RUNS = { numRuns: lawRuns(60) };
const query = { clauses: [{ types: ["user_message"], lastTurns: { count: 2 } }] } as const;

/** Every exported function that takes entries. */
const readers: readonly (readonly [string, (entries: readonly HistoryEntry[]) => unknown])[] = [
  ["applyCompactions", (entries) => applyCompactions(entries, "thread")],
  ["checkHistory", (entries) => checkHistory(entries, { before: entries })],
  ["findLastTask", (entries) => findLastTask(entries, "a")],
  ["findQuestion", (entries) => findQuestion(entries, { agentId: "a" })],
  ["groupExchanges", (entries) => groupExchanges(entries)],
  ["isInView", (entries) => entries.map((entry) => isInView(entry, "agent:a"))],
  ["mendHistory", (entries) => mendHistory(entries)],
  ["messageRole", (entries) => entries.map((entry) => messageRole(entry, { agentId: "a" }))],
  ["pairCalls", (entries) => pairCalls(entries)],
  ["sameJson", (entries) => entries.map((entry) => sameJson(entry, entry))],
  ["selectEntries", (entries) => selectEntries(entries, { ...query, maxTokens: 1000 })],
  ["selectPage", (entries) => selectPage(entries, { ...query, maxEntries: 2 })],
  ["splitTurns", (entries) => splitTurns(entries)],
];

describe("strange entries", () => {
  it.each(readers)("never make %s throw", (_, read) => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 3 }), (places) => {
        const among = places.flatMap((at) => strange.slice(at, at + 1));

        expect(() => read([...samples, ...among, ...among])).not.toThrow();
      }),
      RUNS,
    );
  });

  it("leave the others as they are", () => {
    const mixed = [null, ...samples, undefined] as readonly HistoryEntry[];

    expect(mendHistory(mixed)).toEqual(mendHistory(samples));
    expect(splitTurns(mixed)).toEqual(splitTurns(samples));
    expect(groupExchanges(mixed)).toEqual(groupExchanges(samples));
    expect(selectEntries(mixed, query)).toEqual(selectEntries(samples, query));
  });

  it("are refused by parseEntry and by a store, with a typed error", async () => {
    const store = memoryStore();
    for (const at of fc.sample(place, RUNS)) {
      const entry = strange[at] as HistoryEntry;
      const appended = await store.append("t", [entry]).catch((error: unknown) => error);
      if (appended instanceof Error) expect(isHistoryError(appended)).toBe(true);
      try {
        parseEntry(entry);
      } catch (error) {
        expect(isHistoryError(error, "INVALID_ENTRY")).toBe(true);
      }
    }
  });

  it("do not hide a wrong option, nor a counter that throws", () => {
    const mixed = [null, ...samples] as readonly HistoryEntry[];
    const all = { clauses: [{}] };

    expect(() => selectEntries(mixed, { ...query, maxTokens: -1 })).toThrow(/maxTokens/u);
    expect(() => selectEntries(mixed, { ...query, after: "nobody" })).toThrow(/after/u);
    const countEntry = (): never => {
      throw new Error("No count.");
    };
    expect(() => selectEntries(mixed, { ...all, maxTokens: 9 }, { countEntry })).toThrow(
      expect.objectContaining({ code: "COUNTER_FAILED" }),
    );
  });
});
