import type { SummaryModel } from "@agent-history/core";
import type { ChatModel } from "@agent-history/offline-model";

/**
 * Makes a summary model of a chat model, with its tries and its words for what fails. The cap is not sent: providers count a model's
 * thoughts by it too, and would cut the answer. Who asked looks at its length.
 */
export function chatSummaryModel(model: ChatModel): SummaryModel {
  return async ({ instructions, prompt, signal }) => {
    const { text = "" } = await model({
      messages: [
        { role: "system", content: instructions },
        { role: "user", content: prompt },
      ],
      tools: [],
      ...(signal && { signal }),
    });
    return text;
  };
}
