import type { HistoryEntry, Viewer } from "@agent-history/core";

import { anthropicProblems } from "./anthropic-problems.ts";
import { bedrockProblems } from "./bedrock-problems.ts";
import { geminiProblems } from "./gemini-problems.ts";
import {
  renderAnthropic,
  renderBedrock,
  renderChat,
  renderGemini,
  renderResponses,
} from "./internal/render-messages.ts";
import { joinSaid, sayEntry } from "./internal/said-message.ts";
import { mistralProblems } from "./mistral-problems.ts";
import { openaiChatProblems } from "./openai-chat-problems.ts";
import { openaiResponsesProblems } from "./openai-responses-problems.ts";
import type { ProviderProblem } from "./provider-problem.ts";

/** The providers whose rules are here. */
export type Provider =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "bedrock"
  | "gemini"
  | "mistral";

/** A problem that one of the providers would have. */
export interface ProblemOfProvider extends ProviderProblem {
  readonly provider: Provider;
}

/**
 * Finds what each provider would refuse of a prompt, rendered plainly: one message for each entry, where a provider's converters
 * join messages of one role joined, blank texts left out, system messages apart. Linear.
 *
 * Use it to test a filter or reducer of your own: what it leaves should break no rule that the whole history keeps.
 *
 * @param viewer - Whose prompt it is.
 *
 * @example
 * ```ts
 * import { assistantMessage, userMessage } from "@agent-history/core";
 * import { providerProblems } from "@agent-history/testkit/provider-rules";
 *
 * const history = [assistantMessage({ content: "Hello." }), userMessage({ content: "Hi." })];
 * providerProblems(history).map(({ provider, rule }) => `${provider}: ${rule}`);
 * // => [
 * //   "anthropic: first-not-user",
 * //   "bedrock: first-not-user",
 * //   "gemini: first-not-user",
 * //   "mistral: not-alternating",
 * // ]
 * ```
 */
export function providerProblems(
  entries: readonly HistoryEntry[],
  viewer?: Viewer,
): readonly ProblemOfProvider[] {
  const said = entries.map((entry) => sayEntry(entry, viewer));
  const turns = joinSaid(said);
  const chat = renderChat(said);
  const found: Readonly<Record<Provider, readonly ProviderProblem[]>> = {
    "openai-chat": openaiChatProblems(chat),
    "openai-responses": openaiResponsesProblems(renderResponses(said)),
    anthropic: anthropicProblems(renderAnthropic(turns)),
    bedrock: bedrockProblems(renderBedrock(turns)),
    gemini: geminiProblems(renderGemini(turns)),
    mistral: mistralProblems(chat),
  };
  return PROVIDERS.flatMap((provider) =>
    found[provider].map((problem) => ({ ...problem, provider })),
  );
}

const PROVIDERS = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "bedrock",
  "gemini",
  "mistral",
] as const;
