import { faultsFor, forReader, portableWeight } from "@agent-history/format-kit";
import type { TargetFormat, WireFault } from "@agent-history/format-kit";

import type { AnthropicMessageLike } from "./anthropic-message.ts";
import { anthropicRules } from "./anthropic-rules.ts";
import type { AnthropicRuleOptions } from "./anthropic-rules.ts";
import { fromAnthropicMessages } from "./from-anthropic-messages.ts";
import type { FromAnthropicOptions } from "./from-anthropic-messages.ts";
import { foreignContent } from "./internal/anthropic-parts.ts";
import { ANTHROPIC_FORMAT } from "./internal/write-anthropic.ts";

/** Returns what Anthropic's Messages API takes, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export function anthropicTarget(options: AnthropicRuleOptions = {}): TargetFormat {
  const target = {
    rules: anthropicRules(options),
    weigh: portableWeight(ANTHROPIC_FORMAT, foreignContent),
    needsReasoning: true,
  };
  return forReader(target, options);
}

/**
 * Finds what Anthropic's Messages API would refuse in messages, by rule and place. Linear.
 *
 * @example
 * ```ts
 * import { checkAnthropicMessages } from "@agent-history/anthropic";
 *
 * const faults = checkAnthropicMessages([
 *   { role: "user", content: "To Rome, please." },
 *   { role: "assistant", content: [{ type: "thinking", thinking: "Rome: two fly" }] },
 *   { role: "user", content: "Are you there?" },
 * ]);
 * faults.map(({ rule, index }) => `${rule} in messages[${index}]`);
 * // => ["thinking in messages[1]", "blank-text in messages[1]"]
 * ```
 */
export function checkAnthropicMessages(
  messages: readonly AnthropicMessageLike[],
  { system, ...options }: AnthropicRuleOptions & Pick<FromAnthropicOptions, "system"> = {},
): readonly WireFault[] {
  return faultsFor(anthropicTarget(options), fromAnthropicMessages(messages, { system }));
}
