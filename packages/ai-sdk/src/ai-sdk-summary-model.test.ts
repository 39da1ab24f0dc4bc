import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";

import { aiSdkSummaryModel } from "./ai-sdk-summary-model.ts";

const request = { instructions: "Summarize.", prompt: "<history>…</history>", maxOutputTokens: 50 };
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

describe("aiSdkSummaryModel", () => {
  it("asks by instructions and one user message, without tools, under the cap", async () => {
    const model = answering("A summary.");
    const text = await aiSdkSummaryModel(model, { temperature: 0 })(request);

    expect(text).toBe("A summary.");
    expect(model.doGenerateCalls).toHaveLength(1);
    expect(model.doGenerateCalls[0]).toMatchObject({
      prompt: [
        { role: "system", content: "Summarize." },
        { role: "user", content: [{ type: "text", text: "<history>…</history>" }] },
      ],
      maxOutputTokens: 50,
      temperature: 0,
    });
    expect(model.doGenerateCalls[0]?.tools).toBeUndefined();
  });

  it.each([
    ["", "stop", "empty"],
    [" \n", "stop", "empty"],
    ["I will not.", "content-filter", "refused"],
    ["A summary that sto", "length", "cut"],
    ["Half", "error", "error"],
  ] as const)("takes %o with %s for a failure", async (text, finish, reason) => {
    await expect(aiSdkSummaryModel(answering(text, finish))(request)).rejects.toMatchObject({
      name: "HistoryError",
      code: "MODEL_FAILED",
      details: { reason },
    });
  });

  it("tells that a call failed, with the provider's error as its cause", async () => {
    const broken = new MockLanguageModelV4({
      doGenerate: () => Promise.reject(new Error("No such model.")),
    });

    await expect(aiSdkSummaryModel(broken, { maxRetries: 0 })(request)).rejects.toMatchObject({
      code: "MODEL_FAILED",
      details: { reason: "error" },
      cause: expect.objectContaining({ message: "No such model." }),
    });
  });

  it("stops at its signal, before the call and during it", async () => {
    const model = answering("Never.");
    const signal = AbortSignal.abort();
    await expect(aiSdkSummaryModel(model)({ ...request, signal })).rejects.toMatchObject({
      code: "ABORTED",
    });
    expect(model.doGenerateCalls).toEqual([]);

    const abort = new AbortController();
    const waiting = new MockLanguageModelV4({
      doGenerate: ({ abortSignal }) =>
        new Promise((_, reject) => {
          abortSignal?.addEventListener("abort", () => reject(new Error("Stopped.")));
          abort.abort();
        }),
    });
    const pending = aiSdkSummaryModel(waiting, { maxRetries: 0 })({
      ...request,
      signal: abort.signal,
    });
    await expect(pending).rejects.toMatchObject({ code: "ABORTED" });
  });
});

function answering(
  text: string,
  unified: LanguageModelV4FinishReason["unified"] = "stop",
): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: "text", text }],
      finishReason: { unified, raw: undefined },
      usage,
      warnings: [],
    },
  });
}
