import type { ReasoningRule } from "@agent-history/core";

import { knownModels } from "./internal/known-models.ts";
import { resolveModel } from "./internal/resolve-model.ts";

/** Models whose reasoning is bound to its prefix, from a version on. */
interface BindingFamily extends Pick<ReasoningRule, "binds"> {
  /** Its names; then the version, as far as the name says one. */
  readonly names: RegExp;
  readonly from: readonly [major: number, minor: number];
  readonly source: string;
}

/**
 * November 2026. No other family is known to check the prefix of its reasoning: Gemini checks signatures only within the turn that is
 * answered; DeepSeek, Kimi and GLM accept any `reasoning_content`.
 */
const FAMILIES: readonly BindingFamily[] = [
  {
    // Fable, Mythos, Opus, Sonnet and Haiku alike.
    names: /^claude(?:-[a-z]+)?(?:-(\d+)(?:-(\d{1,2}))?(?!\d))?/,
    from: [5, 1],
    binds: "refuse",
    source:
      "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks",
  },
  {
    names: /^gpt-(?!oss)(?:(\d+)(?:-(\d{1,2})(?!\d))?)?/,
    from: [6, 0],
    binds: "drop",
    source: "https://developers.openai.com/api/docs/guides/keep-prefix-unchanged",
  },
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
  for (const { names, from, binds } of FAMILIES) {
    const found = names.exec(reader);
    if (found === null) continue;
    const [, major, minor = "0"] = found;
    const isOlder =
      major !== undefined &&
      (Number(major) < from[0] || (Number(major) === from[0] && Number(minor) < from[1]));
    return isOlder ? undefined : { binds, reader };
  }
  return undefined;
}
