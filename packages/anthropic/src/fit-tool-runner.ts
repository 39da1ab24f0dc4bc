import type { ReductionPlan } from "@agent-history/core";

import type { AnthropicMessageLike } from "./anthropic-message.ts";
import { fitAnthropicRequestAsync } from "./fit-anthropic-request.ts";
import type { FitAnthropicOptions } from "./fit-anthropic-request.ts";
import type { AnthropicTool } from "./to-tool-definitions.ts";

/** Options of {@link fitToolRunner}. `system` and tools are the runner's. */
export interface FitToolRunnerOptions extends Omit<FitAnthropicOptions, "system" | "tools"> {
  /** Called with each plan before its request is sent, e.g. to store it. */
  readonly onPlan?: ((plan: ReductionPlan) => void) | undefined;
}

/** The required part of the SDK's `BetaToolRunner`. */
export interface ToolRunnerLike<Item> extends AsyncIterable<Item> {
  readonly params: {
    readonly messages: readonly AnthropicMessageLike[];
    readonly system?: string | readonly object[] | undefined;
    readonly tools?: readonly AnthropicTool[] | undefined;
  };
  setMessagesParams(params: never): void;
  generateToolResponse(): Promise<AnthropicMessageLike | null>;
}

/**
 * Iterates over the replies of a tool runner of the Anthropic SDK, and fits each of its requests to the context window. Keeps the full conversation; the runner has only what is sent: the prompt
 * only grows until the window is full. Messages that the loop's body adds with `pushMessages` are sent; other changes of the runner's messages are ignored. Cost: proportional to the new messages.
 *
 * @throws `HistoryError` as `fitAnthropicRequestAsync` does: with code `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts no-run
 * import { fitToolRunner } from "@agent-history/anthropic";
 * import type { ToolRunnerLike } from "@agent-history/anthropic";
 * import { createReducer } from "@agent-history/reducer";
 * import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
 *
 * declare const runner: ToolRunnerLike<{ role: string; content: unknown }>; // client.beta.messages.toolRunner({ … })
 * const exact = tiktokenCounter({ encoding: "o200k_base" });
 * const reducer = createReducer({ counter: estimatingCounter({ family: "claude", counter: exact }) });
 * for await (const message of fitToolRunner(runner, { reducer, window: { contextTokens: 200_000 } })) {
 *   console.log(message.content);
 * }
 * ```
 */
export async function* fitToolRunner<Item extends object>(
  runner: ToolRunnerLike<Item>,
  { onPlan, ...options }: FitToolRunnerOptions,
): AsyncGenerator<Item, void, undefined> {
  const whole: AnthropicMessageLike[] = [...runner.params.messages];
  let { previousPlan } = options;
  const fit = async (): Promise<void> => {
    const { system, tools } = runner.params;
    const { request, plan } = await fitAnthropicRequestAsync(whole, {
      ...options,
      system,
      tools,
      previousPlan,
    });
    previousPlan = plan;
    onPlan?.(plan);
    const { tools: _, ...sent } = request;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- they are the runner's own, with other messages
    runner.setMessagesParams({ ...runner.params, ...sent } as never);
  };

  await fit();
  for await (const item of runner) {
    // The runner adds the reply to its messages later.
    const sent = runner.params.messages.length;
    yield item;
    const { role, content } = await messageOf(item);
    const pushed = runner.params.messages.slice(sent);
    const results = await runner.generateToolResponse();
    whole.push({ role, content });
    if (results !== null) whole.push(results);
    for (const message of pushed) whole.push(message);
    if (results !== null || pushed.length > 0) await fit();
  }
}

/** Waits for the end of a streamed reply. */
async function messageOf(item: object): Promise<AnthropicMessageLike> {
  const message: unknown =
    "finalMessage" in item && typeof item.finalMessage === "function"
      ? await item.finalMessage()
      : item;
  const isMessage = typeof message === "object" && message !== null && "content" in message;
  return { role: "assistant", content: isMessage ? message.content : [] };
}
