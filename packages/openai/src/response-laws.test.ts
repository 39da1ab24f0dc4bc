import { isHistoryError, repairHistory } from "@agent-history/core";
import type { HistoryEntry, ModelWindow } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { arbitraryEntry, arbitraryHistory, lawRuns } from "@agent-history/testkit";
import { describeMessageFormat } from "@agent-history/testkit/format";
import { tiktokenCounter } from "@agent-history/tokens";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  arbitraryBrokenItems,
  arbitrarySoundItems,
} from "../test-messages/responses/arbitrary-items.ts";
import { itemProblems } from "../test-messages/responses/item-problems.ts";
import { itemTokens } from "../test-messages/responses/item-tokens.ts";
import { responsePage } from "../test-messages/responses/pages/response-page.ts";
import { responseStrangePage } from "../test-messages/responses/pages/response-strange-page.ts";
import { fromResponseItems } from "./response-items.ts";
import { toResponseItems } from "./response-items.ts";

const RUNS = { numRuns: lawRuns(300) };
/** The dearest image or file of any model here: that of the counter of items in the tests. */
const counter = tiktokenCounter({
  encoding: "o200k_base",
  imageTokens: () => 5000,
  fileTokens: () => 5000,
});

describeMessageFormat(
  "fromResponseItems and toResponseItems",
  {
    read: fromResponseItems,
    write: toResponseItems,
    userMessage: (content) => ({ role: "user", content }),
    knownMessages: responsePage,
    strangeMessages: responseStrangePage,
    problems: (items) => itemProblems(items),
  },
  {
    runs: 300,
  },
);

describe("fromResponseItems and toResponseItems", () => {
  it("lose nothing of conversations, sound or broken", () => {
    fc.assert(
      fc.property(fc.oneof(arbitrarySoundItems, arbitraryBrokenItems), (items) => {
        expect(toResponseItems(fromResponseItems(items))).toStrictEqual(items);
      }),
      RUNS,
    );
  });

  it("make items that OpenAI takes of every conversation that core repaired, whatever was lost", () => {
    fc.assert(
      fc.property(arbitraryBrokenItems, (items) => {
        const ended = [...items, { role: "user", content: "Go on." }];
        // A thought that lost what it led to was no mistake of ours.
        fc.pre(itemProblems(ended).every((problem) => !problem.includes("thought")));
        const { entries } = repairHistory(fromResponseItems(ended));

        expect(itemProblems(toResponseItems(entries))).toEqual([]);
      }),
      RUNS,
    );
  });

  it("write no items that cost more than their entry was counted", () => {
    const others = fc.array(arbitraryEntry());
    fc.assert(
      fc.property(arbitraryHistory({ running: false }), others, (history, single) => {
        for (const entry of [...repairHistory(history).entries, ...single]) {
          expect(costOf([entry])).toBeLessThanOrEqual(counter.countEntry(entry));
        }
      }),
      RUNS,
    );
    fc.assert(
      fc.property(fc.oneof(arbitrarySoundItems, arbitraryBrokenItems), (items) => {
        for (const entry of fromResponseItems(items)) {
          expect(costOf([entry])).toBeLessThanOrEqual(counter.countEntry(entry));
        }
      }),
      RUNS,
    );
  });

  it("make items that OpenAI takes, and that fit, of what a reducer left", () => {
    let reduced = 0;
    fc.assert(
      fc.property(
        arbitrarySoundItems,
        fc.integer({ min: 20, max: 800 }),
        (items, contextTokens) => {
          const entries = fromResponseItems(items);
          const fitted = fit(entries, { contextTokens });
          if (fitted === undefined) return;
          if (fitted !== entries) reduced += 1;
          const left = toResponseItems(fitted);

          expect(itemProblems(left)).toEqual([]);
          // A screenshot that was cleared is sent as a picture of one point.
          const points = left.filter(({ type }) => String(type) === "computer_call_output").length;
          // Nothing is refused only because its size is unknown.
          const unknown = JSON.stringify(left).split('"input_image"').length - 1;
          const beyond = (points + unknown) * 5000;
          expect(3 + costOf(fitted)).toBeLessThanOrEqual(contextTokens + beyond);
        },
      ),
      RUNS,
    );
    expect(reduced).toBeGreaterThan(RUNS.numRuns / 10);
  });
});

/** What the items of entries cost; a result under its tool's name. Sealed reasoning costs what it hides, not its letters. */
function costOf(entries: readonly HistoryEntry[]): number {
  return entries.reduce((sum, entry) => {
    const toolName = entry.type === "observation" ? entry.toolName : "";
    const items = toResponseItems([entry]).filter((item) => !("encrypted_content" in item));
    return items.reduce((cost, item) => cost + itemTokens(item, toolName), sum);
  }, 0);
}

function fit(
  entries: readonly HistoryEntry[],
  window: ModelWindow,
): readonly HistoryEntry[] | undefined {
  try {
    return fitToWindow(entries, { window, counter }).entries;
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}
