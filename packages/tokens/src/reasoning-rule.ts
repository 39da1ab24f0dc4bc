import type { ReasoningRule } from "@agent-history/core";

import { knownModels } from "./internal/known-models.ts";
import { resolveModel } from "./internal/resolve-model.ts";

/**
 * Families whose reasoning is bound to its prefix: their names with the version, as far as a name says one, and the version from which on it is.
 *
 * November 2026. No other family is known to check the prefix of its reasoning: Gemini checks signatures only within the turn that is
 * answered; DeepSeek, Kimi and GLM accept any `reasoning_content`.
 */
const FAMILIES: readonly (readonly [names: RegExp, from: number, ReasoningRule["binds"]])[] = [
  // Fable, Mythos, Opus, Sonnet and Haiku alike, from 5.1 on.
  // Source: https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks
  [/^claude(?:-[a-z]+)?(?:-(\d+)(?:-(\d{1,2}))?(?!\d))?/, 501, "refuse"],
  // Source: https://developers.openai.com/api/docs/guides/keep-prefix-unchanged
  [/^gpt-(?!oss)(?:(\d+)(?:-(\d{1,2})(?!\d))?)?/, 600, "drop"],
];

/**
 * Returns how a model binds its reasoning (thinking blocks, reasoning items) to its prefix; `undefined` if it does not. Claude from 5.1 on refuses reasoning
 * whose prefix has changed, GPT from 6 on ignores it. Claude and GPT models of unknown version count as binding. `modelWindow` has it as `reasoning`.
 *
 * @example
 * ```ts
 * import { reasoningRule } from "@agent-history/tokens";
 *
 * reasoningRule("anthropic/claude-opus-5.5");
 * // => { binds: "refuse", reader: "claude-opus-5-5" }
 * reasoningRule("claude-opus-5");
 * // => undefined
 * ```
 */
export function reasoningRule(model: string): ReasoningRule | undefined {
  const { keys } = resolveModel(model);
  const reader = keys.find((key) => knownModels.has(key)) ?? keys[0] ?? "";
  for (const [names, from, binds] of FAMILIES) {
    const found = names.exec(reader);
    if (found === null) continue;
    const [, major, minor = "0"] = found;
    const isOlder = major !== undefined && Number(major) * 100 + Number(minor) < from;
    return isOlder ? undefined : { binds, reader };
  }
  return undefined;
}
