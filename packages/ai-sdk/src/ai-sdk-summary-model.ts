import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { SummaryModel } from "@agent-history/core";
import type { FinishReason, LanguageModel, ProviderMetadata } from "ai";

import { loadAi } from "./internal/load-ai.ts";

/** Options of the model calls that a summary request does not contain. */
export interface AiSdkSummaryModelOptions {
  /** Maximum number of retries of a failed call. Default: the AI SDK's, 2. */
  readonly maxRetries?: number | undefined;
  /** Default: the provider's. */
  readonly temperature?: number | undefined;
  /** Passed to the provider unchanged. */
  readonly providerOptions?: ProviderMetadata | undefined;
}

/**
 * Creates a {@link SummaryModel} from any language model of the AI SDK: one `generateText` call without tools per request, with
 * the request's output limit and signal.
 *
 * Rejects with a `HistoryError`: `ABORTED` if the signal fired; `MODEL_FAILED` if the call failed, or if the answer is
 * empty, refused or was cut at the output limit. `details.reason` says which; the provider's error is the `cause`.
 *
 * @example
 * ```ts
 * import { aiSdkSummaryModel } from "@agent-history/ai-sdk";
 *
 * // Any model of the AI SDK; here one that always says the same.
 * const model = {
 *   specificationVersion: "v4" as const,
 *   provider: "example",
 *   modelId: "example",
 *   supportedUrls: {},
 *   doStream: () => Promise.reject(new Error("It does not stream.")),
 *   doGenerate: async () => ({
 *     content: [{ type: "text" as const, text: "Two flights to Rome." }],
 *     finishReason: { unified: "stop" as const, raw: undefined },
 *     usage: {
 *       inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
 *       outputTokens: { total: 5, text: 5, reasoning: 0 },
 *     },
 *     warnings: [],
 *   }),
 * };
 * await aiSdkSummaryModel(model)({ instructions: "Summarize.", prompt: "…", maxOutputTokens: 50 });
 * // => "Two flights to Rome."
 * ```
 */
export function aiSdkSummaryModel(
  model: LanguageModel,
  { maxRetries, temperature, providerOptions }: AiSdkSummaryModelOptions = {},
): SummaryModel {
  return async ({ instructions, prompt, maxOutputTokens, signal }) => {
    throwIfAborted(signal);
    const { generateText } = await loadAi();
    const { text, finishReason } = await generateText({
      ...(maxRetries !== undefined && { maxRetries }),
      ...(temperature !== undefined && { temperature }),
      ...(providerOptions !== undefined && { providerOptions }),
      model,
      instructions,
      // The name of `instructions` before AI SDK 7, which ignores it if `instructions` is set.
      system: instructions,
      prompt,
      maxOutputTokens,
      ...(signal !== undefined && { abortSignal: signal }),
    }).catch((error: unknown): never => {
      throwIfAborted(signal);
      throw failure("error", "The call of the summary model failed.", error);
    });
    const [problem, said] =
      text.trim() === ""
        ? (["empty", "an empty answer"] as const)
        : (PROBLEMS.get(finishReason) ?? []);
    if (problem === undefined) return text;
    throw failure(problem, `Expected the summary model to answer with text; got ${said}.`);
  };
}

type Problem = "error" | "empty" | "refused" | "cut";

const PROBLEMS: ReadonlyMap<FinishReason, readonly [Problem, string]> = new Map([
  ["content-filter", ["refused", "a refusal"]],
  ["length", ["cut", "an answer that was cut at `maxOutputTokens`"]],
  ["error", ["error", "an error"]],
] as const);

function failure(reason: Problem, message: string, cause?: unknown): HistoryError {
  return new HistoryError(message, { code: "MODEL_FAILED", details: { reason }, cause });
}
