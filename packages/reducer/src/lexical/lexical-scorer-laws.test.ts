import type { HistoryEntry } from "@agent-history/core";
import { arbitraryHistory, arbitraryText, deepFreeze, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { lexicalScorer } from "./lexical-scorer.ts";

const runs = { numRuns: lawRuns(200) };

describe("lexicalScorer", () => {
  it("gives each entry one finite score from 0 up, and changes nothing", () => {
    fc.assert(
      fc.property(arbitraryHistory(), arbitraryText(), (history, question) => {
        const scores = lexicalScorer().score(question, deepFreeze(history));
        expect(scores).toHaveLength(history.length);
        for (const value of scores) expect(value >= 0 && Number.isFinite(value)).toBe(true);
      }),
      runs,
    );
  });

  it("gives the same scores whatever it was asked before", () => {
    const used = lexicalScorer();
    fc.assert(
      fc.property(arbitraryHistory(), fc.nat(), fc.nat(), (history, from, to) => {
        const question = "what does the weather tool say of files on 5 May 2024";
        const fresh = lexicalScorer().score(question, history);
        const part = history.slice(from % (history.length + 1), to % (history.length + 1));
        used.score("the words of another question", part);
        used.score(question, history.slice(0, part.length));
        used.score(question, history.toSpliced(1, 1));
        expect(used.score(question, history)).toEqual(fresh);
        expect(used.score(question, part)).toEqual(lexicalScorer().score(question, part));
      }),
      runs,
    );
  });

  it("reads each word once, in a growing history and in parts of it", () => {
    const read: string[] = [];
    const scorer = lexicalScorer({
      topics: [],
      stem: (word) => {
        read.push(word);
        return word;
      },
    });
    const history = Array.from({ length: 200 }, (_, index) => message(`turn${index}`, `e${index}`));
    for (let length = 2; length <= history.length; length += 2) {
      scorer.score("", history.slice(0, length));
    }
    scorer.score("", history.slice(100));
    expect(read).toEqual(history.map(({ content }) => content));
  });

  for (const unit of [
    "a",
    " ",
    "[",
    "\n",
    "'",
    "n't",
    "猫",
    "1 ",
    "may ",
    "on ",
    "5 May 2023, ",
    "Ann: ",
    "👍",
  ]) {
    it(`reads a megabyte of ${JSON.stringify(unit)}, as entry and as question`, () => {
      const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
      const scores = lexicalScorer().score(text, [message(text), message("cat")]);
      expect(scores.every((value) => Number.isFinite(value))).toBe(true);
    });
  }
});

function message(content: string, id = "m"): HistoryEntry {
  return { id, type: "user_message", createdAtMs: 0, content };
}
