import { describe, expect, it } from "vitest";

import { checkCitations } from "../test-support/check-citations.ts";
import { REPOSITORY, runCliToJson } from "../test-support/run-cli-here.ts";
import { BUILT_IN_QUESTIONS } from "./session-questions.ts";

const WORKER_FILTER = "packages/filters/src/worker-history-filter.ts";

describe("runCli", () => {
  it("answers from the sources of this repository what a worker never sees, and quotes its filter first", async () => {
    const { answers, exitCode } = await runCliToJson("What does a worker never see?");
    const citations = await checkCitations(answers[0] ?? "", REPOSITORY);

    expect(exitCode).toBe(0);
    expect(citations[0]).toEqual({ path: WORKER_FILTER });
    expect(citations.filter(({ problem }) => problem !== undefined)).toEqual([]);
  });

  it("runs a session of three questions whose answers stand where they say, the third on what the first found", async () => {
    const { answers, plans, exitCode } = await runCliToJson();
    const repeating = /session-questions|own-sources\.int\.test|demo-agent\/README/;

    expect(exitCode).toBe(0);
    expect(BUILT_IN_QUESTIONS).toHaveLength(3);
    expect(answers).toHaveLength(3);
    for (const answer of answers) {
      const citations = await checkCitations(answer, REPOSITORY);
      expect(citations.length).toBeGreaterThan(0);
      expect(citations.filter(({ problem }) => problem !== undefined)).toEqual([]);
      // A file that asks the same is no evidence.
      expect(citations.filter(({ path }) => repeating.test(path))).toEqual([]);
    }
    expect(plans[2]).toContain(`(see \`${WORKER_FILTER}\`)`);
    expect(answers[2]).toMatch(new RegExp(`^${WORKER_FILTER}:`));
  });
});
