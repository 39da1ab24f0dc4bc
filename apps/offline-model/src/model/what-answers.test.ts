import { describe, expect, it } from "vitest";

import type { WordCounts } from "../search/word-counts.ts";
import { topicOf } from "./topic.ts";
import { missingWords, whatAnswers } from "./what-answers.ts";

describe("whatAnswers", () => {
  it("keeps a quote that has all that the question is about, itself or above it", () => {
    expect(
      kept("How do I make an option mandatory?", "To make an option mandatory, call `must()`."),
    ).toBe(1);
    expect(kept("How long does the valve stay open?", "It stays open for an hour.", "Valve")).toBe(
      1,
    );
  });

  it("leaves out a quote that lacks one of these words", () => {
    const question = "How do I exclude a package from the cache?";

    expect(kept(question, "The cache holds every package.", "Package")).toBe(0);
    expect(kept(question, "To exclude a package from the cache, add `!`.", "Package")).toBe(1);
  });

  it("leaves out a quote where two words of a short question meet by accident", () => {
    const question = "Which TLS server is used?";

    expect(kept(question, "A server is slow at first (DNS, then TLS).", "Speed")).toBe(0);
    expect(kept(question, "The TLS server that is used is nginx.", "Speed")).toBe(1);
  });

  it("leaves out a quote that has the one word of a question below a heading of another", () => {
    const question = "What changed?";
    const inputs = "Inputs are not changed; same input, same scores.";

    expect(kept(question, inputs, "RelevanceScorer")).toBe(0);
    expect(kept("How do I change it?", "To change it, call `set()` once.", "Change it")).toBe(1);
    expect(kept("How do I change it?", "To change it, call `set()` once.", "Inputs")).toBe(0);
  });

  it("leaves out a row of a table that is about something else", () => {
    const question = "Does the valve open for each bed at dawn?";
    const row = "a valve that opens for each bed at dawn | yes |";

    expect(kept(question, row, "Features")).toBe(0);
    expect(kept(question, row, "When valves open for a bed")).toBe(1);
  });

  it("leaves out what says that it is so where the question asks what is not", () => {
    const question = "Which schemas cannot be compiled?";

    expect(kept(question, "Schemas can be compiled.", "Schemas")).toBe(0);
    expect(kept(question, "Lazy schemas cannot be compiled.", "Schemas")).toBe(1);
  });

  it("leaves out other words for the rarest word", () => {
    const counted: WordCounts = {
      passages: 100,
      counts: new Map([
        ["delet", { own: 2, others: 9 }],
        ["file", { own: 60, others: 0 }],
      ]),
    };
    const question = "Does it delete a file of an old log of the pump?";
    const other = "It drops a file of an old log of the pump.";

    expect(kept(question, other.replace("drops", "deletes"), "", counted)).toBe(1);
    expect(kept(question, other, "", counted)).toBe(0);
  });

  it("leaves out what has no number where the question asks how many, and no reason where it asks why", () => {
    expect(kept("How many valves can a pump feed?", "A pump can feed valves of any kind.")).toBe(0);
    expect(kept("How many valves can a pump feed?", "A pump can feed nine valves.")).toBe(1);
    expect(kept("Why does the old pump leak?", "The old pump is known to leak.")).toBe(0);
    expect(kept("Why does the old pump leak?", "The old pump may leak because of rust.")).toBe(1);
    expect(kept("What is the default pressure?", "The default pressure can be changed.")).toBe(0);
    expect(kept("What is the default pressure?", "The default pressure is 3 bar.")).toBe(1);
  });

  it("takes what is said about a thing, from the file that the question names, and no lines of code", () => {
    const question = "What else does valve say? (see `a.md`)";
    const quote = "A valve lets the water in.";

    expect(kept(question, quote, "Valve")).toBe(1);
    expect(kept(question, quote, "Valve", COUNTED, "valve.md")).toBe(0);
    expect(kept("What is said about Valve?", quote, "Valve")).toBe(1);
    expect(kept("What is said about Valve?", "export type Valve = {", "Valve")).toBe(0);
  });

  it("leaves out what speaks of all but the thing", () => {
    const question = "How much water do filters cost the pump?";

    expect(kept(question, "The pump needs 2 liters of water without filters at no cost.")).toBe(0);
    expect(kept(question, "Filters cost the pump 2 liters of water.")).toBe(1);
  });

  it("leaves out what holds in one case only, and what stands between two words that are asked for together", () => {
    expect(kept("What does a valve allow?", "When it is new, a valve may allow a leak.")).toBe(0);
    expect(kept("How do I close a valve?", "To close a red garden valve, use `off()`.")).toBe(0);
    expect(kept("How do I close a valve?", "To close a valve, use `off()`.")).toBe(1);
  });

  it("takes of code only what explains a name of which the question has a word", () => {
    const quote = "Opens each valve of the garden at dawn.";
    const question = "Does it open each valve of the garden?";

    expect(kept(question, quote, "openValves", COUNTED, "pump.ts")).toBe(1);
    expect(kept(question, quote, "run", COUNTED, "pump.ts")).toBe(0);
    expect(kept(question, quote, "", COUNTED, "valve.ts")).toBe(0);
  });
});

describe("missingWords", () => {
  it("names as the question writes them the words that stand nowhere, in other words neither", () => {
    const counted: WordCounts = {
      passages: 100,
      counts: new Map([
        ["docker", { own: 0, others: 0 }],
        ["pictur", { own: 0, others: 7 }],
        ["deploi", { own: 3, others: 0 }],
      ]),
    };
    const question = "How do I deploy pictures with Docker?";

    expect(missingWords(question, topicOf(question), counted)).toEqual(["Docker"]);
    expect(missingWords(question, topicOf(question))).toEqual([]);
  });
});

function kept(
  question: string,
  quote: string,
  title = "",
  counted: WordCounts = COUNTED,
  path = "a.md",
): number {
  const evidence = { number: 1, path, startLine: 1, endLine: 1, title, quote: [quote] };
  return whatAnswers([evidence], topicOf(question), counted).length;
}

const COUNTED: WordCounts = { passages: 1, counts: new Map() };
