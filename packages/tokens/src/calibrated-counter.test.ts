import { isHistoryError, type TokenCounter, userMessage } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { calibratedCounter } from "./calibrated-counter.ts";
import type { Calibration, Observation } from "./calibrated-counter.ts";

/** One token a character; a message is its content. */
const characters: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: ({ content }) => (typeof content === "string" ? content.length : 0),
  countRequest: (tools = []) => tools.length,
};

const requests = fc
  .tuple(fc.oneof(fc.nat(1500), fc.nat(200_000)), fc.double({ min: 0.2, max: 4, noNaN: true }))
  .map(([counted, ratio]) => ({ counted, reported: Math.round(counted * ratio) }));
const observed = fc.array(requests, { minLength: 1, maxLength: 64 });

describe("calibratedCounter", () => {
  it("never lets a request overflow that lies no further off than those observed", () => {
    const windows = fc.record({
      contextTokens: fc.oneof(fc.nat(3000), fc.nat(400_000)),
      outputReserveTokens: fc.oneof(fc.constant(0), fc.nat(20_000)),
      marginTokens: fc.oneof(fc.constant(0), fc.nat(5000)),
    });
    const factors = fc.double({ min: 0.3, max: 3, noNaN: true });
    fc.assert(
      fc.property(observed, windows, factors, (observations, window, factor) => {
        const calibration = { factor, observations: [] };
        const counter = calibratedCounter(characters, { calibration, initialError: 0 });
        for (const observation of observations) counter.observe(observation);
        const free = window.contextTokens - window.outputReserveTokens;
        const room = free - (counter.withMargin(window).marginTokens ?? 0);
        // What fits as counted fits as reported.
        const overflows = observations.filter(
          ({ counted, reported }) => counted <= room && reported > free - window.marginTokens,
        );
        expect(overflows).toEqual([]);
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("wastes no room where the provider reports what was counted", () => {
    const counter = calibratedCounter(characters, { initialError: 0 });
    counter.observe({ counted: 50_000, reported: 50_000 });
    counter.observe({ counted: 70_000, reported: 65_000 });

    expect(counter.withMargin({ contextTokens: 100_000 }).marginTokens).toBe(0);
  });

  it("assumes an error of a tenth at first, and less as it learns", () => {
    const counter = calibratedCounter(characters);
    const margins = Array.from({ length: 11 }, () => {
      const { marginTokens } = counter.withMargin({ contextTokens: 111_000 });
      counter.observe({ counted: 50_000, reported: 50_000 });
      return marginTokens;
    });

    expect(margins[0]).toBe(10_091);
    expect(margins[1]).toBe(5286);
    expect(margins[10]).toBe(1100);
  });

  it("keeps what a small request had on top apart from what a large one was off by", () => {
    const counter = calibratedCounter(characters, { initialError: 0 });
    counter.observe({ counted: 20, reported: 370 });

    expect(counter.withMargin({ contextTokens: 100_000 }).marginTokens).toBe(350);
    expect(counter.withMargin({ contextTokens: 300 }).marginTokens).toBe(300);
    expect(counter.calibration().factor).toBe(1);
  });

  it("adds to the window's own margin, and leaves a window without an end alone", () => {
    const counter = calibratedCounter(characters);
    const endless = { contextTokens: Infinity };

    expect(counter.withMargin({ contextTokens: 111, marginTokens: 1 }).marginTokens).toBe(11);
    expect(counter.withMargin(endless)).toBe(endless);
  });

  it("gives the next counter a factor that follows the average, and itself the same counts", () => {
    const counter = calibratedCounter(characters);
    const entry = userMessage({ content: "x".repeat(1000) });
    for (let turn = 0; turn < 10; turn += 1) counter.observe({ counted: 40_000, reported: 60_000 });
    const next = calibratedCounter(characters, { calibration: counter.calibration() });

    expect(counter.countEntry(entry)).toBe(1000);
    expect(counter.id).toBe("characters");
    expect(next.countEntry(entry)).toBe(1500);
    expect(next.countText("xxx")).toBe(5);
    expect(next.countRequest([{ name: "a" }])).toBe(2);
    expect(next.id).toBe("characters*1.5");
    expect(next.withMargin({ contextTokens: 100_000 }).marginTokens).toBe(991);
  });

  it("leaves the factor alone where it is off by less than a twentieth", () => {
    const counter = calibratedCounter(characters);
    counter.observe({ counted: 40_000, reported: 41_900 });
    expect(counter.calibration().factor).toBe(1);

    counter.observe({ counted: 40_000, reported: 42_400 });
    counter.observe({ counted: 40_000, reported: 42_400 });
    expect(counter.calibration().factor).toBe(1.06);
  });

  it("remembers the last 64 requests", () => {
    const counter = calibratedCounter(characters, { initialError: 0 });
    counter.observe({ counted: 10_000, reported: 20_000 });
    for (let turn = 0; turn < 64; turn += 1) counter.observe({ counted: 10_000, reported: 10_000 });

    expect(counter.calibration().observations).toHaveLength(64);
    expect(counter.withMargin({ contextTokens: 1000 }).marginTokens).toBe(0);
  });

  it("goes on after a restart where it was", () => {
    fc.assert(
      fc.property(observed, requests, (observations, latest) => {
        const before = calibratedCounter(characters);
        for (const observation of observations) before.observe(observation);
        const calibration = JSON.parse(JSON.stringify(before.calibration())) as Calibration;
        const kept = calibratedCounter(characters, { calibration: before.calibration() });
        const restarted = calibratedCounter(characters, { calibration });
        for (const counter of [kept, restarted]) counter.observe(latest);

        expect(restarted.id).toBe(kept.id);
        expect(restarted.calibration()).toEqual(kept.calibration());
        expect(restarted.withMargin({ contextTokens: 100_000 })).toEqual(
          kept.withMargin({ contextTokens: 100_000 }),
        );
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it.each([
    { counted: -1, reported: 1 },
    { counted: 1, reported: NaN },
    { counted: 1.5, reported: 1 },
    { counted: 1, reported: Infinity },
    { counted: 1 },
  ])("refuses to learn from %j", (observation) => {
    const counter = calibratedCounter(characters);

    expect(isRefused(() => counter.observe(observation as Observation))).toBe(true);
    expect(counter.calibration().observations).toEqual([]);
  });

  it.each([
    { initialError: -0.1 },
    { initialError: NaN },
    { initialError: Infinity },
    { calibration: {} },
    { calibration: { factor: 0, observations: [] } },
    { calibration: { factor: NaN, observations: [] } },
    { calibration: { factor: 1, observations: [null] } },
    { calibration: { factor: 1, observations: [{ counted: 1, reported: -1 }] } },
  ])("refuses %j at construction", (options) => {
    expect(isRefused(() => calibratedCounter(characters, options as object))).toBe(true);
  });

  it("refuses a window that is none", () => {
    const counter = calibratedCounter(characters);

    expect(isRefused(() => counter.withMargin({ contextTokens: NaN }))).toBe(true);
    expect(isRefused(() => counter.withMargin({ contextTokens: 1, marginTokens: -1 }))).toBe(true);
  });
});

function isRefused(run: () => unknown): boolean {
  try {
    run();
  } catch (error) {
    return isHistoryError(error, "INVALID_OPTION");
  }
  return false;
}
