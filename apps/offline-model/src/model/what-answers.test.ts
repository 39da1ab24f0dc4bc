import { describe, expect, it } from "vitest";

import type { WordCounts } from "../search/word-counts.ts";
import { topicOf } from "./topic.ts";
import { missingWords, whatAnswers } from "./what-answers.ts";

describe("whatAnswers", () => {
  it("keeps a quote that has all that the question is about, itself or above it", () => {
    expect(kept("How do I make an option mandatory?", "A mandatory option must be given.")).toBe(1);
    expect(kept("How long does the valve stay open?", "It stays open for an hour.", "Valve")).toBe(
      1,
    );
  });

  it("leaves out a quote that lacks one of these words", () => {
    const question = "How do I exclude a package from the cache?";

    expect(kept(question, "The cache holds every package.", "Package")).toBe(0);
    expect(kept(question, "To exclude a package from the cache, name it.", "Package")).toBe(1);
  });

  it("leaves out a quote where two words of a short question meet by accident", () => {
    const question = "Which TLS server is used?";

    expect(kept(question, "A server is slow at first (DNS, then TLS).", "Speed")).toBe(0);
    expect(kept(question, "The TLS server is nginx.", "Speed")).toBe(1);
  });

  it("leaves out a quote that has the one word of a question below a heading of another", () => {
    const question = "What changed?";
    const inputs = "Inputs are not changed; same input, same scores.";

    expect(kept(question, inputs, "RelevanceScorer")).toBe(0);
    expect(kept(question, inputs, "What changed since the first release")).toBe(1);
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
    const question = "How do I delete a file?";

    expect(kept(question, "Drop the file.", "Delete", counted)).toBe(1);
    expect(kept(question, "Drop the file.", "Files, dropped", counted)).toBe(0);
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

function kept(question: string, quote: string, title = "", counted: WordCounts = COUNTED): number {
  const evidence = { number: 1, path: "a.md", startLine: 1, endLine: 1, title, quote: [quote] };
  return whatAnswers([evidence], topicOf(question), counted).length;
}

const COUNTED: WordCounts = { passages: 1, counts: new Map() };
