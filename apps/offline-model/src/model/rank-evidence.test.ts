import { describe, expect, it } from "vitest";

import type { Evidence } from "./evidence.ts";
import { rankEvidence } from "./rank-evidence.ts";
import type { RankEvidenceOptions } from "./rank-evidence.ts";
import { topicOf } from "./topic.ts";

const TOPIC = "How does the valve open?";

describe("rankEvidence", () => {
  it("puts what stands in a place of that name first", () => {
    const quote = "The valve stays shut until it opens.";

    expect(ranked([evidence("a.md", quote), evidence("valve.md", `${quote} `)])).toEqual([1, 0]);
    expect(ranked([evidence("a.md", quote), evidence("valve/a.md", `${quote} `)])).toEqual([1, 0]);
    expect(ranked([evidence("a.md", quote), evidence("a.md", `${quote} `, "Valve")])).toEqual([
      1, 0,
    ]);
  });

  it("puts tests and data after what they are about", () => {
    const quote = "The valve stays shut until it opens.";
    const found = [
      evidence("test/a.ts", quote),
      evidence("a.json", `${quote} `),
      evidence("a.ts", `${quote}  `),
    ];

    expect(ranked(found)[0]).toBe(2);
  });

  it("puts words side by side before the same words apart", () => {
    const found = [
      evidence("a.md", "It can open when the pump moves the old valve of iron."),
      evidence("b.md", "It is the pump of iron that moves when the valve opens."),
    ];

    expect(ranked(found)).toEqual([1, 0]);
  });

  it("puts the file that the question names before one that says more", () => {
    const found = [
      evidence("a.md", "The valve opens at night."),
      evidence("b.md", "The valve is of iron."),
    ];

    expect(ranked(found, {}, `${TOPIC} (see \`b.md\`)`)).toEqual([1, 0]);
  });

  it("puts what explains before code in an answer, and only there", () => {
    const found = [
      evidence("valve.ts", "function openValve(valve) {"),
      evidence("b.md", "The valve opens at night."),
    ];

    expect(ranked(found)).toEqual([0, 1]);
    expect(ranked(found, { isAnswer: true })).toEqual([1, 0]);
  });

  it("says nothing twice: a number once, in its last words, and a text once", () => {
    const found = [
      evidence("a.md", "The valve opens."),
      { ...evidence("a.md", "The valve opens at night."), number: 0 },
      { ...evidence("copy.md", "The valve opens at night."), number: 1 },
    ];

    expect(rankEvidence(found, topicOf(TOPIC), { maxCount: 9 })).toEqual([found[1]]);
  });

  it("leaves out what is not about the topic, too weak, or too much", () => {
    const found = [
      evidence("a.md", "The valve opens."),
      evidence("b.md", "The pump sings."),
      evidence("c.md", "A valve, in the end."),
    ];

    expect(ranked(found)).toEqual([0, 2]);
    expect(ranked(found, { minShare: 0.9 })).toEqual([0]);
    expect(ranked(found, { maxCount: 1 })).toEqual([0]);
  });

  it("takes documents in turn, as many pieces of each as it is told", () => {
    const found = [
      evidence("a.md", "The valve opens at night."),
      evidence("a.md", "The valve opens by day."),
      evidence("a.md", "The valve opens at noon."),
      evidence("b.md", "The valve opens in rain."),
      evidence("b.md", "The valve opens in sun."),
    ];

    expect(ranked(found)).toEqual([0, 3, 1, 4, 2]);
    expect(ranked(found, { perTurn: 2 })).toEqual([0, 1, 3, 4, 2]);
  });

  it("counts how documents stood before", () => {
    const found = [
      evidence("a.md", "The valve opens at night."),
      evidence("b.md", "The valve is of iron."),
    ];
    const standings = new Map([
      ["a.md", 0.5],
      ["b.md", 1],
    ]);

    expect(ranked(found)).toEqual([0, 1]);
    expect(ranked(found, { standings })).toEqual([1, 0]);
  });

  it("puts advice first where advice is asked for", () => {
    const quote = "The valve stays shut until it opens.";
    const found = [
      evidence("a.md", quote, "Leaks › Issue"),
      evidence("b.md", `${quote} `, "Leaks › Solution"),
    ];

    expect(ranked(found, {}, "When does the valve open?")).toEqual([0, 1]);
    expect(ranked(found, {}, "How can I open the valve?")).toEqual([1, 0]);
  });

  it("leaves out documents and pieces that tell little beside the best", () => {
    const found = [
      evidence("valve.md", "The valve opens at night."),
      evidence("valve.md", "Iron."),
      evidence("b.md", "A valve."),
    ];

    expect(ranked(found, { minShare: 0.7 })).toEqual([0]);
  });
});

function evidence(path: string, quote: string, title = ""): Evidence {
  return { number: 0, path, startLine: 1, endLine: 1, title, quote: [quote] };
}

/** The places of the evidence in the order of the ranking. */
function ranked(
  found: readonly Evidence[],
  options: Partial<RankEvidenceOptions> = {},
  topic = TOPIC,
): readonly number[] {
  const numbered = found.map((each, number) => ({ ...each, number }));
  return rankEvidence(numbered, topicOf(topic), { maxCount: 9, ...options }).map(
    ({ number }) => number,
  );
}
