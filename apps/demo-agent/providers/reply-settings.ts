import type { ModelRequest } from "@agent-history/offline-model";

import { writePrompt } from "./write-prompt.ts";

/** What each call of the AI SDK is made with, whether it streams or not. */
export function replySettings(request: ModelRequest, silence: AbortSignal) {
  const { signal } = request;
  // The SDK prints warnings about models and settings otherwise, into the middle of what is drawn.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return {
    ...writePrompt(request),
    // Tries are counted in one place, which tells who looks on.
    maxRetries: 0,
    abortSignal: AbortSignal.any([silence, ...(signal === undefined ? [] : [signal])]),
    providerOptions: { openai: { store: false } },
  };
}
