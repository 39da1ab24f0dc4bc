import { openFolder } from "@agent-history/offline-model";
import { describe, expect, it } from "vitest";

import { documentationFolder, readQuestions } from "./documentation-question.ts";
import { citedFor, evaluateQuestions } from "./evaluate-questions.ts";
import type { EvaluatedQuestion } from "./evaluate-questions.ts";

/** Ten questions that were written down before the first run, on documentation that nobody here wrote. */
async function evaluate(): Promise<readonly EvaluatedQuestion[]> {
  const folder = await openFolder(documentationFolder("ai"));
  expect(folder.documents.length).toBeGreaterThan(200);
  return evaluateQuestions(await readQuestions("questions.json"), folder);
}

describe("the offline model on documentation that nobody here wrote", () => {
  it("cites the lines that answer at least eight of ten questions in other words", async () => {
    const evaluated = await evaluate();
    // One of them has more than half of its words from the lines that answer it: it counts as missed, found or not.
    const inOtherWords = evaluated.filter(({ shared }) => shared <= 0.5);
    const found = inOtherWords.filter(({ rank }) => rank !== undefined);

    expect(evaluated).toHaveLength(10);
    expect(inOtherWords.length).toBeGreaterThanOrEqual(9);
    expect(found.length).toBeGreaterThanOrEqual(8);
    for (const { cited } of evaluated) expect(cited.length).toBeLessThanOrEqual(5);
  });

  it("says of at least seven of ten questions about other things that nothing answers them", async () => {
    const folder = await openFolder(documentationFolder("ai"));
    const questions = await readQuestions<string>("unanswerable.json");
    const cited = await Promise.all(questions.map((question) => citedFor(question, folder)));

    expect(cited).toHaveLength(10);
    expect(cited.filter(({ length }) => length === 0).length).toBeGreaterThanOrEqual(7);
  });
});
