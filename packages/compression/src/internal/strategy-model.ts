import type { SummaryModel } from "@agent-history/core";

import { askModel } from "./ask-model.ts";
import { checkAnswer } from "./check-answer.ts";
import { modelPolicy } from "./model-policy.ts";
import { recallModel } from "./remembered-models.ts";
import type { Settings } from "./settings.ts";

/** Returns strategies the model that writes summaries, with its timeout and attempts. */
export function strategyModel({ options, counter }: Settings): SummaryModel | undefined {
  const { model } = options;
  if (model === undefined) return undefined;
  const made = recallModel(model);
  const policy = made?.policy ?? modelPolicy(options);
  return (request) => {
    const { signal = options.signal } = request;
    const asked = { ...request, ...(signal && { signal }) };
    return askModel(made?.ask ?? model, asked, policy, (answer) => {
      const problem = checkAnswer(answer, { counter, maxTokens: request.maxOutputTokens });
      return problem === undefined ? { value: String(answer) } : { problem };
    });
  };
}
