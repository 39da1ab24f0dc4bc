import { isHistoryError } from "@agent-history/core";
import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { functionCleaner } from "./function-cleaner.ts";
import { historyCleaner } from "./history-cleaner.ts";
import { removeFromText } from "./remove-from-text.ts";
import type { TextCleaner, TextSpan } from "./text-cleaner.ts";
import { markerCleaner } from "./text-cleaners.ts";
import { detailsCleaner } from "./text-cleaners.ts";

/** Cuts what lies between the 1st and 2nd, the 3rd and 4th … of these fractions of the text, in order. */
function fractionCleaner(name: string, fractions: readonly number[]): TextCleaner {
  return {
    name,
    findSpans: (text) => {
      const indexes = fractions
        .map((fraction) => Math.round(fraction * text.length))
        .toSorted((a, b) => a - b);
      return indexes.flatMap((start, index) => {
        const end = indexes[index + 1];
        return index % 2 === 0 && end !== undefined ? [{ start, end }] : [];
      });
    },
  };
}

const cleaners: fc.Arbitrary<readonly TextCleaner[]> = fc
  .array(fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 8 }), { maxLength: 5 })
  .map((list) =>
    list.map((percent, index) =>
      fractionCleaner(
        `c${index}`,
        percent.map((one) => one / 100),
      ),
    ),
  );

/** The same, character by character: who took which character of the original. */
async function takersOf(
  text: string,
  list: readonly TextCleaner[],
): Promise<(string | undefined)[]> {
  const takers: (string | undefined)[] = Array.from({ length: text.length }, () => undefined);
  for (const cleaner of list) {
    const left = takers.flatMap((taker, index) => (taker === undefined ? [index] : []));
    const current = left.map((index) => text.charAt(index)).join("");
    for (const { start, end } of await cleaner.findSpans(current)) {
      for (const entryIndex of left.slice(start, end)) takers[entryIndex] = cleaner.name;
    }
  }
  return takers;
}

/** Cuts the recorded spans from the original. */
function replay(text: string, cuts: readonly TextSpan[]): string {
  const ends = [0, ...cuts.map(({ end }) => end)];
  const starts = [...cuts.map(({ start }) => start), text.length];
  return ends.map((end, index) => text.slice(end, starts[index])).join("");
}

const throwing: TextCleaner = {
  name: "throwing",
  findSpans: () => {
    throw new Error("no");
  },
};

function wave(name = "wave"): TextCleaner {
  return functionCleaner({ name, removeFromText: (text) => text.replaceAll("👋", "") });
}

describe("removeFromText", () => {
  it("records every cut by its index in the original, however many cleaners came before", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryText({ maxLength: 60 }), cleaners, async (text, list) => {
        const takers = await takersOf(text, list);

        const cleaned = await removeFromText(text, { cleaners: list });

        const recorded = Array.from(takers, () => undefined as string | undefined);
        for (const { cleaner, start, end } of cleaned.cuts) recorded.fill(cleaner, start, end);
        expect(recorded).toEqual(takers);
        expect(replay(text, cleaned.cuts)).toBe(cleaned.text);
        expect(cleaned.failures).toEqual([]);
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("lets each cleaner work on what the one before it left", async () => {
    const inner = markerCleaner({ name: "inner", open: "(", close: ")" });
    const outer = markerCleaner({ name: "outer", open: "[", close: "]" });

    const cleaned = await removeFromText("a[b(])c]d", { cleaners: [inner, outer] });

    expect(cleaned).toEqual({
      text: "ad",
      cuts: [
        { cleaner: "outer", start: 1, end: 3 },
        { cleaner: "inner", start: 3, end: 6 },
        { cleaner: "outer", start: 6, end: 8 },
      ],
      failures: [],
    });
  });

  it("leaves the text as it was before a failing cleaner, reports it and goes on", async () => {
    const shouting = functionCleaner({
      name: "shouting",
      removeFromText: (text) => text.toUpperCase(),
    });

    const cleaned = await removeFromText("👋 secret", { cleaners: [throwing, wave(), shouting] });

    expect(cleaned.text).toBe(" secret");
    expect(cleaned.cuts).toEqual([{ cleaner: "wave", start: 0, end: 2 }]);
    expect(cleaned.failures.map(({ cleaner }) => cleaner)).toEqual(["throwing", "shouting"]);
    expect(cleaned.failures[0]?.error).toEqual(new Error("no"));
  });

  it.each([
    ["nothing", undefined, "cleaners"],
    ["a list in place of options", [detailsCleaner()], "cleaners"],
    ["one cleaner in place of a list", { cleaners: detailsCleaner() }, "cleaners"],
    ["a text among the cleaners", { cleaners: [detailsCleaner(), "details"] }, "cleaners.1"],
    ["a function among the cleaners", { cleaners: [detailsCleaner] }, "cleaners.0"],
    ["a cleaner without a name", { cleaners: [{ findSpans: () => [] }] }, "cleaners.0"],
  ])("refuses %s", async (_what, options, option) => {
    const refusal = expect.objectContaining({ code: "INVALID_OPTION", details: { option } });
    await expect(Reflect.apply(removeFromText, undefined, ["", options])).rejects.toThrowError(
      refusal,
    );
    expect(() => Reflect.apply(historyCleaner, undefined, [options])).toThrowError(refusal);
  });

  it("never quotes the text in an error of its own", async () => {
    const adding = functionCleaner({ name: "adding", removeFromText: (text) => `${text}!` });

    const [failure] = (await removeFromText("secret", { cleaners: [adding] })).failures;

    expect(isHistoryError(failure?.error, "CLEANER_FAILED")).toBe(true);
    expect(String(failure?.error)).toContain("adding");
    expect(JSON.stringify(failure) + String(failure?.error)).not.toContain("secret");
  });

  it.each<[string, unknown]>([
    ["beyond the end", [{ start: 0, end: 7 }]],
    ["before the beginning", [{ start: -1, end: 2 }]],
    ["backwards", [{ start: 3, end: 2 }]],
    ["backwards behind a sound one", [span(0, 1), { start: 3, end: 2 }]],
    ["overlapping", [span(0, 3), span(2, 4)]],
    ["out of order", [span(3, 4), span(0, 1)]],
    ["not at a character", [{ start: 0.5, end: 2 }]],
    ["ending between characters", [{ start: 0, end: 1.5 }]],
    ["of NaN", [{ start: Number.NaN, end: 2 }]],
    ["without end", [{ start: 0 }]],
    ["null", [null]],
    ["no list", undefined],
  ])("refuses spans that are %s", async (_, spans) => {
    const unsound: TextCleaner = { name: "unsound", findSpans: () => spans as TextSpan[] };

    const cleaned = await removeFromText("secret", { cleaners: [unsound] });

    expect(cleaned.text).toBe("secret");
    expect(cleaned.cuts).toEqual([]);
    expect(cleaned.failures).toEqual([
      { cleaner: "unsound", error: expect.objectContaining({ code: "CLEANER_FAILED" }) },
    ]);
  });

  it("records no empty cut", async () => {
    const idle: TextCleaner = { name: "idle", findSpans: () => [span(0, 0), span(6, 6)] };

    const cleaned = await removeFromText("secret", { cleaners: [idle] });

    expect(cleaned).toEqual({ text: "secret", cuts: [], failures: [] });
  });

  it("waits for a cleaner that waits, with the same result", async () => {
    const later = functionCleaner({
      name: "wave",
      removeFromText: async (text) => text.replaceAll("👋", ""),
    });
    const banner = markerCleaner({ name: "banner", open: "[[", close: "]]" });
    const text = "[[Beta]]Hi 👋";

    const one = await removeFromText(text, { cleaners: [banner, wave()] });
    const other = await removeFromText(text, { cleaners: [banner, later] });

    expect(one.text).toBe("Hi ");
    expect(other).toEqual(one);
  });

  it("isolates a cleaner that rejects", async () => {
    const rejecting: TextCleaner = {
      name: "rejecting",
      findSpans: async () => {
        throw new Error("offline");
      },
    };

    const cleaned = await removeFromText("Hi 👋", { cleaners: [rejecting, wave()] });

    expect(cleaned.text).toBe("Hi ");
    expect(cleaned.failures).toEqual([{ cleaner: "rejecting", error: new Error("offline") }]);
  });

  it("begins no cleaner once the signal has fired", async () => {
    const controller = new AbortController();
    const begun: string[] = [];
    const spy = (name: string, then: () => void): TextCleaner => ({
      name,
      findSpans: async (_text, _source, signal) => {
        begun.push(name);
        expect(signal).toBe(controller.signal);
        then();
        return [];
      },
    });
    const list = [spy("a", () => {}), spy("b", () => controller.abort()), spy("c", () => {})];

    const promise = removeFromText("text", { cleaners: list, signal: controller.signal });

    await expect(promise).rejects.toMatchObject({ name: "HistoryError", code: "ABORTED" });
    expect(begun).toEqual(["a", "b"]);
  });

  it("takes a cleaner that rejects because of the signal for no failure", async () => {
    const controller = new AbortController();
    const aborting: TextCleaner = {
      name: "aborting",
      findSpans: async () => {
        controller.abort();
        throw new Error("aborted");
      },
    };

    const promise = removeFromText("text", { cleaners: [aborting], signal: controller.signal });

    await expect(promise).rejects.toMatchObject({ code: "ABORTED" });
  });
});

function span(start: number, end: number): TextSpan {
  return { start, end };
}
