import type { UserMessageEntry } from "@agent-history/core";
import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import MiniSearch from "minisearch";
import { describe, expect, it } from "vitest";

import { ENGLISH_STOP_WORDS, englishStem } from "./english-words.ts";
import { emptyIndex, entryText, extendIndex, speakerOf, STRETCH_LENGTH } from "./history-index.ts";
import { matchScores, relativeRarity } from "./match-scores.ts";
import { createVocabulary, textTerms } from "./text-terms.ts";
import { readTopics } from "./topics.ts";

const base = { id: "e", createdAtMs: 0 } as const;

describe("entryText", () => {
  it("reads what the model is shown of a user's message", () => {
    expect(entryText({ ...base, type: "user_message", content: "Hi" })).toBe("Hi");
    expect(entryText({ ...base, type: "user_message", content: "Hi", rendered: "Ann: Hi" })).toBe(
      "Ann: Hi",
    );
  });

  it("reads the text, names and arguments of calls", () => {
    const toolCalls = [
      { id: "c1", name: "findViolin", arguments: '{"maker":"Stradivari"}' },
      { id: "c2", name: "listen", arguments: "" },
    ];
    expect(entryText({ ...base, type: "action", content: "I look.", toolCalls })).toBe(
      'I look.\nfindViolin {"maker":"Stradivari"}\nlisten',
    );
    expect(entryText({ ...base, type: "action", toolCalls: toolCalls.slice(1) })).toBe("listen");
  });

  it("reads results with their sources", () => {
    const sources = [{ number: 1, id: "s", text: "kept in Oxford", title: "Museums" }];
    const result = {
      callId: "c",
      toolName: "t",
      outcome: "success",
      content: "made in 1716",
    } as const;
    const said = "made in 1716\n[source1] Museums\nkept in Oxford";
    expect(entryText({ ...base, type: "observation", ...result, sources })).toBe(said);
    expect(entryText({ ...base, type: "observation", ...result })).toBe("made in 1716");
    expect(
      entryText({ ...base, type: "global_observation", content: "made in 1716", sources }),
    ).toBe(said);
  });

  it("reads text parts and the names of files, and no data", () => {
    const source = { kind: "data", base64: "AAAA" } as const;
    expect(
      entryText({
        ...base,
        type: "attachment",
        messageId: "m",
        name: "Receipts",
        content: [
          { type: "file", source, name: "invoice.pdf" },
          { type: "image", source },
          { type: "reasoning", text: "hidden", data: "BBBB" },
          { type: "text", text: "forty ducats" },
        ],
      }),
    ).toBe("Receipts\nforty ducats\ninvoice.pdf");
  });
});

describe("speakerOf", () => {
  const labelled = {
    "Ann: Hello": "Ann",
    "[8 May 2023, 13:56] Ann Lee: Hello": "Ann Lee",
    "Ann (13:56): Hello": "Ann",
    'Ann said, "Hello"': "Ann",
    "安：你好": "安",
    "Hey Ann, hello: there": undefined,
    "https://example.org": undefined,
    "12:30 is fine": undefined,
    [`${"long ".repeat(20)}: Hello`]: undefined,
  };

  for (const [content, name] of Object.entries(labelled)) {
    it(`takes ${JSON.stringify(content.slice(0, 40))} for words of ${name ?? "nobody"}`, () => {
      expect(speakerOf(message(content))).toBe(name);
    });
  }

  it("prefers the agent to the provider's name, and that to the label", () => {
    const origin = { format: "openai-chat", message: "0", index: 0, extra: { name: "Bob" } };
    const agent = { id: "w1", role: "worker" } as const;
    expect(speakerOf({ ...message("Ann: Hello"), origin })).toBe("Bob");
    expect(speakerOf({ ...message("Ann: Hello"), origin, agent })).toBe("w1");
  });
});

function message(content: string): UserMessageEntry {
  return { id: "m", type: "user_message", createdAtMs: 0, content };
}

const vocabulary = createVocabulary(englishStem, ENGLISH_STOP_WORDS);
const noTopics = readTopics([], () => []);
const words = fc.constantFrom(
  ..."paint painter painting paints painted database data datum dates dated don't She'll 3 2024 a".split(
    " ",
  ),
);
const sentence = fc.array(words, { maxLength: 12 }).map((some) => some.join(" "));
const texts = fc.array(fc.oneof({ weight: 4, arbitrary: sentence }, arbitraryText()), {
  minLength: 1,
  maxLength: STRETCH_LENGTH * 3,
});

describe("extendIndex and matchScores", () => {
  it("score as MiniSearch does, with the rarity of a term as weight", () => {
    fc.assert(
      fc.property(texts, fc.oneof(sentence, arbitraryText()), (entries, question) => {
        const documents = entries.map((text) => textTerms(text, vocabulary));
        // Above 64 the rarest are chosen, which has a test of its own.
        const asked = [...new Set(textTerms(question, vocabulary))].slice(0, 64);
        const found = matchScores(indexOf(documents), new Set(asked));
        const expected = scoresOfMiniSearch(documents, asked);
        for (const [index, score] of expected.entries()) {
          expect(Math.abs((found[index] ?? Number.NaN) - score)).toBeLessThanOrEqual(score * 1e-14);
        }
      }),
      { numRuns: lawRuns(300) },
    );
  });
});

function indexOf(documents: readonly (readonly string[])[]): ReturnType<typeof emptyIndex> {
  const index = emptyIndex();
  for (const [entryIndex, terms] of documents.entries()) {
    const entry = {
      id: `e${entryIndex}`,
      type: "user_message",
      createdAtMs: 0,
      content: "",
    } as const;
    extendIndex(index, entry, { terms, speaker: [] }, noTopics);
  }
  return index;
}

function scoresOfMiniSearch(
  documents: readonly (readonly string[])[],
  asked: readonly string[],
): readonly number[] {
  const library = new MiniSearch<{ readonly id: number; readonly terms: string }>({
    fields: ["terms"],
    tokenize: (terms) => terms.split(" "),
    processTerm: (term) => term,
  });
  library.addAll(documents.map((terms, id) => ({ id, terms: terms.join(" ") })));
  const scores = documents.map(() => 0);
  const found = library.search(asked.join(" "), {
    bm25: { k: 1.2, b: 0.85, d: 0 },
    boostTerm: (term) => weightOf(documents, term),
    prefix: (term) => term.length >= 4,
    weights: { prefix: 0.4, fuzzy: 0 },
  });
  // The library multiplies by the number of terms found.
  for (const { id, score, queryTerms } of found) scores[Number(id)] = score / queryTerms.length;
  return scores;
}

function weightOf(documents: readonly (readonly string[])[], term: string): number {
  const having = documents.filter((terms) => terms.includes(term)).length;
  const stretches = Array.from(
    { length: Math.ceil(documents.length / STRETCH_LENGTH) },
    (_, stretch) => documents.slice(stretch * STRETCH_LENGTH, (stretch + 1) * STRETCH_LENGTH),
  );
  const inStretches = stretches.filter((some) => some.some((terms) => terms.includes(term))).length;
  const { length } = documents;
  const rarity =
    having === 0
      ? 1
      : (relativeRarity(having, length) + relativeRarity(inStretches, stretches.length)) / 2;
  const count = Math.max(1, having);
  return rarity / Math.log(1 + (length - count + 0.5) / (count + 0.5));
}
