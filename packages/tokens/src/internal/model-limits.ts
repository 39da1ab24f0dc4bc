/** What a model takes and gives, in tokens. */
export interface ModelLimits {
  /** Prompt and answer together. */
  readonly contextTokens: number;
  /** The longest answer. */
  readonly maxOutputTokens: number;
}

const K = 1000;
const M = 1_000_000;

/**
 * The models on sale in November 2026, and those that are still asked for.
 *
 * A table of our own, since no catalogue package of these weeks can be used: tokenlens ends at gpt-5, @pydantic/genai-prices
 * knows no output limits, model-bank names no licence, and @earendil-works/pi-ai brings four SDKs and gives OpenAI's price
 * tier of 272,000 tokens for the window.
 */
export const modelLimits: ReadonlyMap<string, ModelLimits> = new Map([
  // Source: developers.openai.com/api/docs/models and its page for each model.
  ...limits(1.05 * M, 128 * K, [
    "gpt-6.2-astra",
    "gpt-6.1-sol",
    "gpt-6.1-terra",
    "gpt-6-astra",
    "gpt-6-sol",
    "gpt-6-luna",
    "gpt-5.6",
    "gpt-5.6-sol",
    "gpt-5.6-terra",
    "gpt-5.6-luna",
    "gpt-5.5",
    "gpt-5.5-pro",
    "gpt-5.4",
    "gpt-5.4-pro",
  ]),
  ...limits(400 * K, 128 * K, [
    "chat-latest",
    "gpt-5.4-mini",
    "gpt-5.4-nano",
    "gpt-5.3-codex",
    "gpt-5.2",
    "gpt-5.2-pro",
    "gpt-5.1",
    "gpt-5",
    "gpt-5-mini",
    "gpt-5-nano",
  ]),
  ...limits(400 * K, 272 * K, ["gpt-5-pro"]),
  ...limits(1_047_576, 32_768, ["gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano"]),
  ...limits(128 * K, 16_384, ["gpt-4o", "gpt-4o-mini", "gpt-5-chat"]),
  ...limits(128 * K, 4096, ["gpt-4o-2024-05-13", "gpt-4-turbo"]),
  ...limits(200 * K, 100 * K, ["o1", "o1-pro", "o3", "o3-pro", "o3-mini", "o4-mini"]),
  ...limits(8192, 8192, ["gpt-4"]),
  ...limits(16_385, 4096, ["gpt-3.5-turbo"]),

  // Source: platform.claude.com/docs/en/about-claude/models/overview and its page for each model.
  ...limits(1 * M, 128 * K, [
    "claude-fable-5-2",
    "claude-fable-5-1",
    "claude-fable-5",
    "claude-opus-5-5",
    "claude-opus-5",
    "claude-opus-4-8",
    "claude-opus-4-7",
    "claude-opus-4-6",
    "claude-sonnet-5-5",
    "claude-sonnet-5",
    "claude-sonnet-4-6",
    "claude-haiku-5-5",
  ]),
  ...limits(200 * K, 64 * K, ["claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"]),
  ...limits(200 * K, 32 * K, ["claude-opus-4-1"]),

  // Source: ai.google.dev/gemini-api/docs/models and its page for each model. The window is the limit of the input.
  ...limits(1_048_576, 65_536, [
    "gemini-4-argon",
    "gemini-3.8-flash",
    "gemini-3.7-flash",
    "gemini-3.6-flash",
    "gemini-3.5-flash",
    "gemini-3.5-flash-lite",
    "gemini-3.1-pro-preview",
    "gemini-3.1-flash-lite",
    "gemini-3-flash-preview",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
  ]),
]);

function limits(
  contextTokens: number,
  maxOutputTokens: number,
  models: readonly string[],
): readonly (readonly [string, ModelLimits])[] {
  return models.map((model) => [model, { contextTokens, maxOutputTokens }]);
}
