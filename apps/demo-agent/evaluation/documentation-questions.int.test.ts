import { openFolder } from "@agent-history/offline-model";
import { describe, expect, it } from "vitest";

import { documentationFolder, readQuestions } from "./documentation-question.ts";
import { citedFor, evaluateQuestions } from "./evaluate-questions.ts";
import { openSet, readSets } from "./honesty-set.ts";
import { judgeHonesty } from "./judge-honesty.ts";

/** Two hundred documents, indexed once. */
const documentation = openFolder(documentationFolder("ai"));

describe("the offline model on documentation that nobody here wrote", () => {
  // The newest of the sets; main.ts runs all of them, which takes a minute.
  it("answers none of thirty questions by quotes that do not answer it, and a third of those that can be answered", async () => {
    const sets = await readSets("honesty-sixth.json");
    const judged = await Promise.all(
      sets.map(async (set) => judgeHonesty(set.questions, await openSet(set))),
    );
    const verdicts = judged.flat();
    const answerable = sets.flatMap(({ questions }) => questions).filter(({ path }) => path);

    expect(judged.map(({ length }) => length)).toEqual([10, 10, 10]);
    expect(verdicts.filter(({ verdict }) => verdict === "wrong")).toEqual([]);
    expect(verdicts.filter(({ verdict }) => verdict === "answered").length).toBeGreaterThan(
      answerable.length / 3,
    );
  });

  it("answers none of ten questions in other words by lines that do not answer it", async () => {
    const folder = await documentation;
    const evaluated = await evaluateQuestions(await readQuestions("questions.json"), folder);
    const wrong = evaluated.filter(({ cited, rank }) => cited.length > 0 && rank === undefined);

    expect(folder.documents.length).toBeGreaterThan(200);
    expect(evaluated).toHaveLength(10);
    expect(wrong).toEqual([]);
  });

  it("answers none of ten questions about other things", async () => {
    const folder = await documentation;
    const questions = await readQuestions<string>("unanswerable.json");
    const cited = await Promise.all(questions.map((question) => citedFor(question, folder)));

    expect(cited).toEqual(questions.map(() => []));
    expect(cited).toHaveLength(10);
  });
});
