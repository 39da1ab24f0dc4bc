import * as anthropic from "@agent-history/anthropic";
import { fitToWindow, fitToWindowAsync } from "@agent-history/reducer";

import { counterOf, withReducer } from "./for-model.ts";
import type { CountForModel, ForModel } from "./for-model.ts";

// The public exports of the entry `agent-history/anthropic`.
export type { CountForModel, ForModel, ModelOptions } from "./for-model.ts";
export type {
  AnthropicCompaction,
  CompactedByAnthropic,
  FittedAnthropicRequest,
  RequestCount,
  ToolRunnerLike,
} from "@agent-history/anthropic";
export type { ReductionPlan } from "@agent-history/core";

// Continuation requests: only the messages that Anthropic has not received yet
export { continuation, sendContinuation } from "@agent-history/anthropic";
export type { MessageContinuation, SentMessage } from "@agent-history/anthropic";

// Messages and entries, for `createHistory`
export {
  fromAnthropicMessages,
  toAnthropicRequest,
  toToolDefinitions,
} from "@agent-history/anthropic";

// The memory tool
export { memoryToolHandlers } from "@agent-history/anthropic";
export type { MemoryToolHandlers, MemoryToolOptions } from "@agent-history/anthropic";

// Sessions of the Claude Agent SDK
export { claudeSessionStore } from "@agent-history/anthropic";
export type {
  ClaudeSessionKey,
  ClaudeSessionLine,
  ClaudeSessionStore,
  ClaudeSessionStoreOptions,
} from "@agent-history/anthropic";

// Reasoning that the provider dropped
export { droppedReasoning } from "@agent-history/anthropic";
export type { DroppedReasoning } from "@agent-history/anthropic";

/**
 * Trims Anthropic messages to the model's context window, and returns a request for the Messages API. Pass the full conversation at each call,
 * with the plan of the previous call. `system` and `tools` count and are part of the returned request. Claude's tokens are estimated, because its tokenizer is
 * not public.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`) and for a tool of an unknown shape;
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitAnthropicRequest } from "agent-history/anthropic";
 *
 * const messages = [{ role: "user", content: "To Rome, please." }];
 * const options = { model: "claude-opus-5-5", system: "You book flights.", cache: {} };
 * const { request } = fitAnthropicRequest(messages, options);
 * request.messages.length;
 * // => 1
 * // client.messages.create({ model: "claude-opus-5-5", max_tokens: 8000, ...request })
 * ```
 */
export function fitAnthropicRequest<Tool extends anthropic.AnthropicTool = never>(
  messages: readonly anthropic.AnthropicMessageLike[],
  options: ForModel<anthropic.FitAnthropicOptions<Tool>>,
): anthropic.FittedAnthropicRequest<Tool> {
  return anthropic.fitAnthropicRequest(messages, withReducer(options, fitToWindow));
}

/** Like {@link fitAnthropicRequest}, but steps and the scorer may be asynchronous. */
export async function fitAnthropicRequestAsync<Tool extends anthropic.AnthropicTool = never>(
  messages: readonly anthropic.AnthropicMessageLike[],
  options: ForModel<anthropic.FitAnthropicOptions<Tool>>,
): Promise<anthropic.FittedAnthropicRequest<Tool>> {
  return anthropic.fitAnthropicRequestAsync(messages, withReducer(options, fitToWindowAsync));
}

/**
 * Iterates over the replies of a tool runner of the Anthropic SDK, and trims each of its requests to the model's context window. `system` and the tools are
 * those of the runner. The prompt only grows until the window is full.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`; `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts no-run
 * import { fitToolRunner, type ToolRunnerLike } from "agent-history/anthropic";
 *
 * declare const runner: ToolRunnerLike<{ role: string; content: unknown }>; // client.beta.messages.toolRunner({ … })
 * for await (const message of fitToolRunner(runner, { model: "claude-opus-5-5" })) {
 *   console.log(message.content);
 * }
 * ```
 */
export function fitToolRunner<Item extends object>(
  runner: anthropic.ToolRunnerLike<Item>,
  options: ForModel<anthropic.FitToolRunnerOptions>,
): AsyncGenerator<Item, void, undefined> {
  return anthropic.fitToolRunner(runner, withReducer(options, fitToWindowAsync));
}

/**
 * Counts a request of Anthropic's Messages API before it is sent, with the same counting as a fit for the model: tokens by part, bytes, images, and how much of it is an estimate. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model without a known tokenizer: pass `counter`, or `estimate: true`.
 *
 * @example
 * ```ts
 * import { countRequest } from "agent-history/anthropic";
 *
 * const messages = [{ role: "user", content: "To Rome, please." }];
 * const { tokens, estimate } = countRequest({ model: "claude-opus-5-5", messages });
 * // Claude's tokenizer is not public.
 * estimate?.tokens === tokens;
 * // => true
 * ```
 */
export function countRequest(
  request: CountForModel<anthropic.AnthropicRequestToCount>,
): anthropic.RequestCount {
  return anthropic.countRequest({ ...request, counter: counterOf(request) });
}
