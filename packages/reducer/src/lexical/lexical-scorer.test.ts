import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, UserMessageEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { lexicalScorer } from "./lexical-scorer.ts";
import type { LexicalScorerOptions } from "./lexical-scorer.ts";

describe("lexicalScorer", () => {
  it("scores highest what shares rare words with the question", () => {
    const scores = score("Which violin does Ann play?", [
      "I play a lot of chess",
      "My violin is from Cremona",
      "Let us play on Sunday",
      "I play every day, and we play to win",
    ]);
    expect(best(scores)).toBe(1);
  });

  for (const [asked, said] of [
    ["paintings", "painted"],
    ["buy", "bought"],
    ["children", "child"],
    ["camp", "campfire"],
  ]) {
    it(`finds "${said}" where "${asked}" is asked for`, () => {
      expect(best(score(`Any ${asked}?`, ["Something else", `They ${said}`]))).toBe(1);
    });
  }

  it("finds who speaks of the topic of a question, in other words", () => {
    const texts = ["Snow fell in Oslo", "We had lasagna with a salad", "Snow melted in Oslo"];
    expect(best(score("What food do they like?", texts))).toBe(1);
    const none = score("What food do they like?", texts, { topics: [] });
    expect(none).toEqual(score("", texts, { topics: [] }));
  });

  it("takes topics of the caller's own", () => {
    const topics = [["gâteau", "tarte", "farine"]];
    const texts = ["Il pleut", "La farine est blanche", "Il neige"];
    const gain = (question: string): number =>
      differences(score(question, texts, { topics }), score("", texts, { topics }))[1] ?? 0;
    expect(gain("Une tarte?")).toBeGreaterThan(0);
    expect(gain("Un vélo?")).toBe(0);
  });

  it("does not count stop words", () => {
    expect(score("Who was it, and what is he to you?", ["Who was it?", "Rain"])).toEqual(
      score("", ["Who was it?", "Rain"]),
    );
  });

  it("lends neighbors a share of a match, on both sides and further on", () => {
    const texts = ["cloud", "cloud", "violin", "cloud", "cloud"];
    const lent = differences(
      score("violin", texts, { topics: [] }),
      score("", texts, { topics: [] }),
    );
    const own = lent[2] ?? 0;
    expect(own).toBeGreaterThan(0);
    expect(lent).toEqual([0.36, 0.6, 1, 0.6, 0.36].map((share) => near(share * own)));
  });

  it("prefers who is named: the agent, the provider's name, or the label of the text", () => {
    const [plain, ...named] = scoresOf("What did Ann say?", [
      message("Something about rain"),
      message("Something about snow", { agent: { id: "ann", role: "worker" } }),
      message("Something about hail", { origin: originNamed("Ann") }),
      message("Ann: Something about fog"),
      message("[1:56 pm on 8 May, 2023] Ann: Something about frost"),
    ]);
    for (const value of named) expect(value).toBeGreaterThan((plain ?? 0) + 0.2);
  });

  it("prefers the day that is mentioned, by the clock", () => {
    const scores = scoresOf("What happened on 8 May, 2023?", [
      message("Rain fell", { createdAtMs: Date.UTC(2023, 3, 8) }),
      message("Snow melted", { createdAtMs: Date.UTC(2023, 4, 8, 15) }),
      message("Wind blew", { createdAtMs: Date.UTC(2023, 5, 8) }),
    ]);
    expect(best(scores)).toBe(1);
  });

  it("looks for the first eight dates of a question", () => {
    const days = Array.from({ length: 9 }, (_, index) => `${index + 1} May 20${index + 10}`);
    const entries = days.map((_, index) =>
      message(`city${index}`, { createdAtMs: Date.UTC(2010 + index, 4, index + 1) }),
    );
    const question = days.join(" and ");
    const added = differences(
      scoresOf(question, entries, { stem: () => "" }),
      scoresOf("", entries, { stem: () => "" }),
    );
    expect(added).toEqual([...Array.from({ length: 8 }, () => near(0.5)), near(0)]);
  });

  it("prefers news to what was said before, where no word helps", () => {
    const scores = score("zzz", ["Rome is hot", "Rome is hot", "Oslo is cold", "Rome is hot"]);
    expect(scores[2]).toBeGreaterThan(scores[1] ?? 0);
    expect(scores[1]).toBeGreaterThan(scores[3] ?? 0);
  });

  it("holds what a giant entry says for the first time to half a point", () => {
    const giant = Array.from({ length: 10_000 }, (_, index) => `w${index}`).join(" ");
    const ordinary = Array.from({ length: 20 }, (_, index) => `city${index} was sunny${index}`);
    const [first = 0, ...others] = score("zzz", [...ordinary, giant]);
    const last = others.at(-1) ?? 0;
    expect(last).toBeGreaterThan(first);
    expect(last).toBeLessThanOrEqual(0.5);
    expect(first).toBeGreaterThan(0.1);
  });

  it("counts a word that many stretches of the history have for less", () => {
    const filler = Array.from({ length: 126 }, (_, index) => `filler${index}`);
    // Both words are in eight entries: one all over the history, one within a stretch.
    const texts = filler.map((word, index) => {
      if (index % 16 === 0) return `${word} everywhere`;
      return index > 64 && index <= 72 ? `${word} together` : word;
    });
    const plain = score("", texts);
    const added = (word: string): number => Math.max(...differences(score(word, texts), plain));
    expect(added("together")).toBeGreaterThan(added("everywhere") * 1.2);
  });

  it("finds words of scripts without spaces", () => {
    const texts = [
      "昨日は雨でした",
      "私の猫は黒い",
      "วันนี้ฝนตก",
      "แมวของฉันสีดำ",
      "고양이가 검은색이다",
    ];
    expect(best(score("黒い猫はどこ?", texts))).toBe(1);
    expect(best(score("แมวอยู่ไหน", texts))).toBe(3);
    expect(best(score("고양이는 어디에?", texts))).toBe(4);
  });

  it("takes another language's stems and stop words", () => {
    const options: LexicalScorerOptions = {
      stem: (word) => word.replace(/(?:en|er|e)$/, ""),
      stopWords: ["wo", "sind", "die"],
    };
    const texts = ["Wo sind die denn?", "Das Haus steht dort"];
    const added = differences(
      score("Wo sind die Hause?", texts, options),
      score("", texts, options),
    );
    expect(added[1]).toBeGreaterThan(0);
    expect(added[0]).toEqual(near(0.6 * (added[1] ?? 0)));
  });

  it("takes what a stem gives as it is, and nothing where it gives nothing", () => {
    const texts = ["rain and more rain", "snow"];
    expect(score("rain", texts, { stem: (word) => `${word}-${word}` })).toEqual(
      score("rain", texts, { stem: (word) => word }),
    );
    expect(score("rain", texts, { stem: () => "" })).toEqual([0, 0]);
  });

  for (const word of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
    it(`takes "${word}" for a word`, () => {
      const texts = ["rain", "constructor __proto__ toString hasOwnProperty"];
      expect(best(score(word, texts))).toBe(1);
    });
  }

  it("scores nothing in an empty history", () => {
    expect(lexicalScorer().score("Why?", [])).toEqual([]);
  });

  it("stops where the signal has fired", () => {
    const signal = AbortSignal.abort();
    expect(caught(() => lexicalScorer().score("Why?", [message("x")], signal))).toSatisfy((error) =>
      isHistoryError(error, "ABORTED"),
    );
  });
});

function message(content: string, fields: Partial<UserMessageEntry> = {}): UserMessageEntry {
  return { id: "m", type: "user_message", createdAtMs: 0, content, ...fields };
}

function scoresOf(
  question: string,
  entries: readonly HistoryEntry[],
  options?: LexicalScorerOptions,
): readonly number[] {
  return lexicalScorer(options).score(question, entries);
}

function score(
  question: string,
  texts: readonly string[],
  options?: LexicalScorerOptions,
): readonly number[] {
  return scoresOf(
    question,
    texts.map((text, index) => message(text, { id: `m${index}` })),
    options,
  );
}

function best(scores: readonly number[]): number {
  return scores.indexOf(Math.max(...scores));
}

function differences(some: readonly number[], others: readonly number[]): readonly number[] {
  return some.map((value, index) => value - (others[index] ?? 0));
}

function near(value: number): unknown {
  return expect.closeTo(value, 10);
}

function originNamed(name: string): NonNullable<UserMessageEntry["origin"]> {
  return { format: "openai-chat", message: "0", index: 0, extra: { name } };
}

function caught(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
