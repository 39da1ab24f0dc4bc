import { readFileSync } from "node:fs";

import { checkHistory, isHistoryError, mendHistory } from "@agent-history/core";
import type { HistoryEntry, ModelWindow } from "@agent-history/core";
import { parseEntry } from "@agent-history/core/schema";
import { fitToWindow } from "@agent-history/reducer";
import { arbitraryEntry, arbitraryHistory, deepFreeze } from "@agent-history/testkit";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryDamagedItems } from "../test-responses/arbitrary-damaged-items.ts";
import { arbitraryBrokenItems, arbitrarySoundItems } from "../test-responses/arbitrary-items.ts";
import { itemProblems } from "../test-responses/item-problems.ts";
import { itemTokens } from "../test-responses/item-tokens.ts";
import { responsePage } from "../test-responses/pages/response-page.ts";
import { responseStrangePage } from "../test-responses/pages/response-strange-page.ts";
import { repeatedTexts } from "../test-responses/repeated-texts.ts";
import type { ChatMessageLike } from "./chat-message.ts";
import { fromChatMessages } from "./from-chat-messages.ts";
import { fromResponseItems } from "./from-response-items.ts";
import { toResponseItems } from "./to-response-items.ts";

const RUNS = { numRuns: Number(process.env["OPENAI_RUNS"] ?? 1000) };
/** The dearest image or file of any model here: that of the counter of items in the tests. */
const counter = gptTokenizerCounter({
  encoding: "o200k_base",
  imageTokens: () => 5000,
  fileTokens: () => 5000,
});
const now = (): number => 0;

describe("fromResponseItems and toResponseItems", () => {
  const whole = [...responsePage, ...responseStrangePage];

  it("lose nothing of any items, unknown fields and kinds included, and say nothing twice", () => {
    fc.assert(
      fc.property(arbitraryDamagedItems(whole), (items) => {
        const entries = fromResponseItems(deepFreeze(items), { now });

        // Not strictly: an item may have a field that is called `constructor`.
        expect(toResponseItems(deepFreeze(entries))).toEqual(items);
        expect(repeatedTexts(items, entries)).toEqual([]);
      }),
      RUNS,
    );
  });

  it("give entries that can be stored", () => {
    fc.assert(
      fc.property(arbitraryDamagedItems(whole), (items) => {
        const stored: readonly HistoryEntry[] = JSON.parse(
          JSON.stringify(fromResponseItems(items)),
        );

        expect(toResponseItems(stored.map(parseEntry))).toEqual(items);
      }),
      RUNS,
    );
  });

  it("lose nothing of conversations, sound or broken", () => {
    fc.assert(
      fc.property(fc.oneof(arbitrarySoundItems, arbitraryBrokenItems), (items) => {
        expect(toResponseItems(fromResponseItems(items))).toStrictEqual(items);
      }),
      RUNS,
    );
  });

  it("give the entries of the items before again, when the conversation has grown by an answer", () => {
    fc.assert(
      fc.property(arbitrarySoundItems, arbitrarySoundItems, (before, after) => {
        // No object stands there twice.
        const said = [...before, { role: "user", content: "Go on." }].map((item) =>
          structuredClone(item),
        );
        const known = fromResponseItems(said);
        const grown = fromResponseItems([...said, ...after]).slice(0, known.length);

        for (const [index, entry] of grown.entries()) expect(entry).toBe(known[index]);
        expect(new Set(known.map(({ id }) => id)).size).toBe(known.length);
        const copied = fromResponseItems(structuredClone(said), { now });
        expect(copied.map(({ id }) => id)).toEqual(known.map(({ id }) => id));
      }),
      RUNS,
    );
  });

  it("make items that OpenAI takes of every sound history", () => {
    fc.assert(
      fc.property(
        arbitraryHistory({ running: false }),
        fc.constantFrom("", "a", "b"),
        (history, id) => {
          const { entries } = mendHistory(history);
          fc.pre(checkHistory(entries).every(({ law }) => law !== "L1"));

          expect(itemProblems(toResponseItems(deepFreeze(entries), { agentId: id }))).toEqual([]);
        },
      ),
      RUNS,
    );
  });

  it("make items that OpenAI takes of every conversation that core mended, whatever was lost", () => {
    fc.assert(
      fc.property(arbitraryBrokenItems, (items) => {
        const ended = [...items, { role: "user", content: "Go on." }];
        // A thought that lost what it led to was no mistake of ours.
        fc.pre(itemProblems(ended).every((problem) => !problem.includes("thought")));
        const { entries } = mendHistory(fromResponseItems(ended));

        expect(itemProblems(toResponseItems(entries))).toEqual([]);
      }),
      RUNS,
    );
  });

  it("write no items that cost more than their entry was counted", () => {
    const others = fc.array(arbitraryEntry());
    fc.assert(
      fc.property(arbitraryHistory({ running: false }), others, (history, single) => {
        for (const entry of [...mendHistory(history).entries, ...single]) {
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
          expect(3 + costOf(fitted)).toBeLessThanOrEqual(contextTokens + points * 5000);
        },
      ),
      RUNS,
    );
    expect(reduced).toBeGreaterThan(RUNS.numRuns / 10);
  });
});

const folder = process.env["AGENT_HISTORY_DATA"];
const files = [
  "tau-bench/airline-gpt-4o.jsonl",
  "tau-bench/airline-gpt-4o.derived-parallel.jsonl",
  "swe-agent/swe-agent-mit.jsonl",
];

describe.skipIf(folder === undefined)(
  "recorded chats as items (set AGENT_HISTORY_DATA to the folder that holds them)",
  () => {
    it.each(files)("lose nothing of %s, and pair each call", (file) => {
      const lines = readFileSync(`${folder}/${file}`, "utf8").split("\n").filter(Boolean);

      expect(lines.length).toBeGreaterThan(10);
      for (const line of lines) {
        const { messages }: { messages: ChatMessageLike[] } = JSON.parse(line);
        const items = toResponseItems(fromChatMessages(messages));
        const entries = fromResponseItems(items);
        expect(toResponseItems(entries)).toStrictEqual(items);
        expect(checkHistory(entries)).toEqual([]);
        expect(itemProblems(items)).toEqual([]);
      }
    });
  },
);

/** What the items of entries cost; a result under its tool's name. */
function costOf(entries: readonly HistoryEntry[]): number {
  return entries.reduce((sum, entry) => {
    const toolName = entry.type === "observation" ? entry.toolName : "";
    const items = toResponseItems([entry]);
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
