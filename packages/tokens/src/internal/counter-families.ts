import { anthropicImageTokens } from "../anthropic-image-tokens.ts";
import { geminiImageTokens } from "../gemini-image-tokens.ts";
import type { ImageTokens } from "../image-tokens.ts";

/** A family of models without a public tokenizer; `claude` is Claude 4.7 and later. */
export type CounterFamily = "claude" | "claude-before-4.7" | "gemini";

/** What is known of a family. */
export interface FamilyRules {
  /** Tokens of the family for one of o200k_base. */
  readonly factor: number;
  readonly imageTokens: ImageTokens;
  /** What the provider writes before the tools of a request that has any. */
  readonly tokensOfTools: number;
}

/** The rules by family. Factors are the highest that was measured, so as not to count low; calibrate for your own text. */
export const counterFamilies: Readonly<Record<CounterFamily, FamilyRules>> = {
  // Source: 1.30 as below, times what the tokenizer of 4.7 adds: Anthropic says 1.0 to 1.35; by its own token counting
  // API up to 1.46 (sol.ava.dev, "opus 4.7 tokenizer") and 1.47 (claudecodecamp.com), both April 2026. Tools: Anthropic,
  // "Pricing", "Tool use", the highest of 4.7 and later.
  claude: { factor: 1.9, imageTokens: anthropicImageTokens("high"), tokensOfTools: 804 },
  // Source: Claude 3.5 against GPT-4o, +16% on English articles, +21% on mathematics, +30% on Python (VentureBeat, "Hidden
  // costs in AI deployment", May 2025). Tools: as above, the highest before 4.7.
  "claude-before-4.7": {
    factor: 1.3,
    imageTokens: anthropicImageTokens("standard"),
    tokensOfTools: 589,
  },
  // Source: Google, "Understand and count tokens": about 4 characters a token; o200k_base has about 4.7 in English prose.
  gemini: { factor: 1.2, imageTokens: geminiImageTokens(), tokensOfTools: 0 },
};
