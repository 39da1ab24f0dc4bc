import type { SummaryModel, SummaryRequest } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, codeOf, options } from "../../test-support/chat.ts";
import { untyped, zoo } from "../../test-support/model-zoo.ts";
import { counter, sleep } from "../../test-support/quarter-counter.ts";
import { compressHistory } from "../compress-history.ts";
import { askModel, checkAnswer, modelPolicy } from "./ask-model.ts";
import type { ModelOptions } from "./ask-model.ts";

const REQUEST = { instructions: "Summarize.", prompt: "…", maxOutputTokens: 20 };

/** Asks as `compressHistory` does. */
function asking(model: SummaryModel, given: ModelOptions = {}): SummaryModel {
  const policy = modelPolicy(given);
  return (request) =>
    askModel(model, request, policy, (answer) => {
      const problem = checkAnswer(answer, { counter, maxTokens: request.maxOutputTokens });
      return problem === undefined ? { value: String(answer) } : { problem };
    });
}

describe("askModel", () => {
  it.each(zoo.filter(({ name, answers }) => !answers && name !== "echoes the data"))(
    "is told apart from one that $name",
    async ({ model }) => {
      const checked = asking(model, { sleep, timeoutMs: 10 });
      const request = { ...REQUEST, prompt: "<history>\n{}\n</history>" };
      expect(await codeOf(() => checked(request))).toBe("MODEL_FAILED");
    },
  );

  it("does not limit a model's time by a `sleep` that ends at once", async () => {
    const model: SummaryModel = async () => {
      await sleep();
      return "They went on.";
    };
    const checked = asking(model, { sleep: async () => {} });
    expect(await checked(REQUEST)).toBe("They went on.");
  });

  it("says what was wrong, and waits longer after each failure of the call", async () => {
    const waited: number[] = [];
    const requests: SummaryRequest[] = [];
    const answers = [untyped(null), untyped(""), failing, failing, untyped("They went on.")];
    const model = asking(
      (request) => {
        requests.push(request);
        return (answers.shift() ?? failing)(request);
      },
      {
        maxAttempts: 5,
        backoffMs: 100,
        timeoutMs: Infinity,
        sleep: async (ms) => {
          waited.push(ms);
        },
      },
    );
    expect(await model(REQUEST)).toBe("They went on.");
    expect(waited).toEqual([400, 800]);
    expect(requests.map(({ instructions }) => instructions.split("\n\n")[1])).toEqual([
      undefined,
      "Your last answer was refused: it was no text but null. Answer again, as asked.",
      ...Array.from({ length: 3 }, () => {
        return "Your last answer was refused: it was empty. Answer again, as asked.";
      }),
    ]);
  });

  it("asks again for an answer that is a little too long", async () => {
    const instructions: string[] = [];
    const model: SummaryModel = async (request) => {
      instructions.push(request.instructions);
      return instructions.length === 1 ? "They went on. ".repeat(60) : "They went on.";
    };
    const result = await compressHistory(chat(4), { ...options, model });
    expect(result.outcome).toBe("compressed");
    expect(instructions[1]).toMatch(
      /Your last answer was refused: it was longer than \d+ tokens\./,
    );
    const own = asking(async () => "word ".repeat(17), { maxAttempts: 1 });
    expect(await codeOf(() => own(REQUEST))).toBe("MODEL_FAILED");
    expect(await own({ ...REQUEST, maxOutputTokens: 22 })).toContain("word");
  });

  it("stops at once when the signal fires, whether the model listens or not", async () => {
    for (const name of ["hangs until aborted", "hangs for ever"]) {
      const controller = new AbortController();
      const one = zoo.find((each) => each.name === name)?.model ?? failing;
      let asked = 0;
      const model = asking(
        (request) => {
          asked += 1;
          queueMicrotask(() => controller.abort());
          return one(request);
        },
        { timeoutMs: Infinity },
      );
      const { signal } = controller;
      expect(await codeOf(() => model({ ...REQUEST, signal }))).toBe("ABORTED");
      expect(asked).toBe(1);
      expect(await codeOf(() => model({ ...REQUEST, signal }))).toBe("ABORTED");
      expect(asked).toBe(1);
    }
  });

  it.each([
    { timeoutMs: 0 },
    { timeoutMs: -1 },
    { timeoutMs: 2 ** 31 },
    { timeoutMs: Number.NaN },
    { maxAttempts: 0 },
    { maxAttempts: 1.5 },
    { backoffMs: -1 },
  ])("refuses %j", async (given) => {
    expect(await codeOf(() => asking(failing, given))).toBe("INVALID_OPTION");
  });
});

const failing: SummaryModel = async () => {
  throw new Error("no");
};
