import { groupExchanges } from "@agent-history/core";
import type { ContentPart, HistoryEntry } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import type { Violation } from "@agent-history/core/check";
import {
  arbitraryBrokenHistory,
  arbitraryEntry,
  arbitraryHistory,
  deepFreeze,
  lawRuns,
} from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { functionCleaner } from "./function-cleaner.ts";
import { historyCleaner } from "./history-cleaner.ts";
import type { TextCleaner } from "./text-cleaner.ts";
import { detailsCleaner } from "./text-cleaners.ts";

/** Well-formed histories, broken ones, and entries in no order at all. */
const histories: fc.Arbitrary<readonly HistoryEntry[]> = fc.oneof(
  arbitraryHistory(),
  arbitraryBrokenHistory(),
  fc.array(arbitraryEntry(), { maxLength: 12 }),
);

const everything: TextCleaner = {
  name: "everything",
  findSpans: (text) => [{ start: 0, end: text.length }],
};

const letterA = functionCleaner({ name: "a", removeFromText: (text) => text.replaceAll("a", "") });

const anyCleaners = fc.constantFrom<(readonly TextCleaner[])[]>(
  [],
  [everything],
  [letterA],
  [detailsCleaner()],
  [detailsCleaner(), letterA],
);

const ANSWERS = new Set<string>(["assistant_message", "action", "synthesis", "final"]);

function isJson(text: string): boolean {
  return /^\s*([[{]|null\s*$)/.test(text) && isParsed(text);
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What is left of one text by the rules, part by part. */
function expectedParts(parts: readonly ContentPart[], takesAll: boolean): readonly ContentPart[] {
  return parts.flatMap((part) => {
    if (part.type !== "text" || isJson(part.text)) return [part];
    const text = takesAll ? "" : part.text.replaceAll("a", "");
    if (text === part.text) return [part];
    return text.trim() === "" ? [] : [{ ...part, text }];
  });
}

/** What is left of one entry by the rules. */
function expectedEntry(entry: HistoryEntry, takesAll: boolean): HistoryEntry | undefined {
  if (!ANSWERS.has(entry.type) || !("content" in entry) || entry.content === undefined)
    return entry;
  const { content } = entry;
  const parts: readonly ContentPart[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  const left = expectedParts(parts, takesAll);
  if (left.length === parts.length && left.every((part, index) => part === parts[index]))
    return entry;
  if (left.length === 0) return entry.type === "action" ? { ...entry, content: [] } : undefined;
  const [first] = left;
  const isPlain = typeof content === "string" && first?.type === "text";
  return { ...entry, content: isPlain ? first.text : left };
}

function callsOf(entries: readonly HistoryEntry[]): unknown[] {
  return entries.flatMap((entry) => (entry.type === "action" ? [[entry.id, entry.toolCalls]] : []));
}

/** Names violations by the exchange that they are of: which of its entries is the first to stand apart may change. */
function namerOf(entries: readonly HistoryEntry[]): (violation: Violation) => string {
  const exchanges = new Map(
    groupExchanges(entries).flatMap((group) =>
      group.kind === "exchange"
        ? group.entries.map(({ id }) => [id, group.action.id] as const)
        : [],
    ),
  );
  return ({ rule, entryId }) => `${rule} at ${exchanges.get(entryId) ?? entryId}`;
}

describe("historyCleaner", () => {
  it("cleans answers by the rules, part by part, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.boolean(), async (entries, takesAll) => {
        const cleaner = historyCleaner({ cleaners: [takesAll ? everything : letterA] });

        const cleaned = await cleaner.clean(deepFreeze(entries));

        const expected = entries.flatMap((entry) => expectedEntry(entry, takesAll) ?? []);
        expect(cleaned.entries).toEqual(expected);
        expect(cleaned.failures).toEqual([]);
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("never touches an entry of another type, a call, reasoning, opaque data, an image or a file", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (entries) => {
        const { entries: left } = await historyCleaner({ cleaners: [everything] }).clean(entries);

        expect(left.filter(({ type }) => !ANSWERS.has(type))).toEqual(
          entries.filter(({ type }) => !ANSWERS.has(type)),
        );
        const untouchable = (all: readonly HistoryEntry[]): unknown[] =>
          all.flatMap((entry) => [
            ...(entry.type === "action" ? entry.toolCalls : []),
            ...("content" in entry && Array.isArray(entry.content)
              ? entry.content.filter((part: ContentPart) => part.type !== "text")
              : []),
          ]);
        expect(untouchable(left)).toEqual(untouchable(entries));
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("returns what it does not change by identity, the array included", async () => {
    await fc.assert(
      fc.asyncProperty(histories, anyCleaners, async (entries, cleaners) => {
        const cleaned = await historyCleaner({ cleaners }).clean(entries);

        const touched = new Set(cleaned.cuts.map(({ entryId }) => entryId));
        const known = new Set(entries);
        for (const entry of cleaned.entries) {
          if (!touched.has(entry.id)) expect(known.has(entry)).toBe(true);
        }
        expect(cleaned.entries === entries).toBe(cleaned.cuts.length === 0);
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("gives the same copies when it cleans again, and asks no cleaner twice about an entry", async () => {
    await fc.assert(
      fc.asyncProperty(histories, histories, async (entries, more) => {
        const asked: unknown[] = [];
        const asking: TextCleaner = {
          name: "asking",
          findSpans: (text, source) => {
            asked.push(source?.entry);
            return letterA.findSpans(text);
          },
        };
        const cleaner = historyCleaner({ cleaners: [asking] });
        const first = await cleaner.clean(entries);
        const askedBefore = asked.length;

        const again = await cleaner.clean([...entries, ...more]);

        for (const [index, entry] of first.entries.entries())
          expect(again.entries[index]).toBe(entry);
        expect(again.cuts.slice(0, first.cuts.length)).toEqual(first.cuts);
        const known = new Set(entries);
        expect(
          asked.slice(askedBefore).filter((entry) => known.has(entry as HistoryEntry)),
        ).toEqual([]);
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("breaks no law of the history that was not broken before", async () => {
    await fc.assert(
      fc.asyncProperty(histories, anyCleaners, async (entries, cleaners) => {
        const nameOf = namerOf(entries);
        const broken = new Set(checkHistory(entries, { before: entries }).map(nameOf));

        const cleaned = await historyCleaner({ cleaners }).clean(entries);

        const found = checkHistory(cleaned.entries, { before: entries })
          // An action whose text was cleaned is not lost, though the check against before calls it so.
          .filter(({ rule }) => rule !== "running-exchange-lost")
          // What a cleaner drops or cleans it does on purpose: which turns stay whole is a law of fits.
          .filter(({ law }) => law !== "L15" && law !== "L16")
          .map(nameOf);
        expect(found.filter((violation) => !broken.has(violation))).toEqual([]);
        expect(callsOf(cleaned.entries)).toEqual(callsOf(entries));
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("waits for cleaners that wait, with the same result", async () => {
    const later: TextCleaner = {
      name: letterA.name,
      findSpans: async (text) => letterA.findSpans(text),
    };
    await fc.assert(
      fc.asyncProperty(histories, async (entries) => {
        const cleaner = historyCleaner({ cleaners: [later] });

        const cleaned = await cleaner.clean(entries);

        expect(cleaned).toEqual(await historyCleaner({ cleaners: [letterA] }).clean(entries));
        expect((await cleaner.clean(entries)).entries).toEqual(cleaned.entries);
      }),
      { numRuns: lawRuns(1000) },
    );
  });
});
