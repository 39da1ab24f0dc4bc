import { TokenLimiterProcessor } from "@mastra/core/processors";

import { fromPrompt, promptLog } from "./prompt-messages.js";

/** `TokenLimiterProcessor` of @mastra/core where it stands in an agent: on the prompt, directly before the model call. */
export function tokenLimiterSystem({ trimMode }) {
  return {
    open: (messages, windowTokens) => {
      const { log, append } = promptLog(messages);
      const limiter = new TokenLimiterProcessor({ limit: windowTokens, trimMode });
      return {
        append,
        fit: async () => {
          const result = await limiter.processLLMRequest({ prompt: log });
          const kept = result?.prompt ?? log;
          return () => kept.flatMap(fromPrompt);
        },
      };
    },
  };
}
