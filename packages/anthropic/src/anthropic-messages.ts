import type { HistoryEntry, Viewer } from "@agent-history/core";
import {
  faultsFor,
  forReader,
  portableWeight,
  readInstructions,
  readMessages,
  toJson,
  writeMessages,
} from "@agent-history/format-kit";
import type {
  MessageFormat,
  ReadOptions,
  TargetFormat,
  WireFault,
} from "@agent-history/format-kit";

import type { AnthropicMessage, AnthropicMessageLike } from "./anthropic-message.ts";
import { anthropicRules } from "./anthropic-rules.ts";
import type { AnthropicRuleOptions } from "./anthropic-rules.ts";
import { anthropicParts, foreignContent, isServerCall } from "./internal/anthropic-parts.ts";
import { readAnthropicMessage } from "./internal/read-anthropic.ts";
import { ANTHROPIC_FORMAT, writeAnthropicMessage } from "./internal/write-anthropic.ts";

/**
 * Anthropic messages. In a user message, each result is an observation and the blocks between results
 * are a `user_message`; a compaction block is a `summary`.
 */
export const anthropicFormat: MessageFormat = {
  name: ANTHROPIC_FORMAT,
  idPrefix: "anthropic",
  types: [
    "system_message",
    "user_message",
    "assistant_message",
    "action",
    "observation",
    "summary",
  ],
  shape: "grouped",
  isAnsweredByProvider: isServerCall,
  read: readAnthropicMessage,
  write: writeAnthropicMessage,
};

/** Options of {@link fromAnthropicMessages}. */
export interface FromAnthropicOptions extends ReadOptions {
  /** The `system` of the request, text or blocks. It becomes the first entry, a `system_message`, so that it is counted. Default: none. */
  readonly system?: string | readonly object[] | null | undefined;
}

/**
 * Converts Anthropic messages to entries. `toAnthropicMessages` restores the same messages, including unknown fields and unknown blocks. Linear.
 *
 * An answer with calls becomes an `action`, each `tool_result` an `observation`; other blocks of a user message with results become a `user_message`. Thinking is kept byte for
 * byte, with its signature. Calls of server tools and their results stay in their answer; if the result is in a later answer, they become a call and an `observation`. A
 * `compaction` block becomes a `summary`. A response of the API can be passed as a message.
 *
 * With `system`, one more entry comes first.
 *
 * Without `newId`, ids are derived from position and text (`anthropic-3-1k2x9f`): pass the full conversation at each call, with new messages at the end; earlier messages
 * keep their ids, so that a reducer can continue its previous plan. The same message object returns the same entry objects, so that cached token counts stay valid.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `system` is neither a string nor an array of blocks.
 *
 * @example
 * ```ts
 * import { fromAnthropicMessages } from "@agent-history/anthropic";
 *
 * const messages = [{ role: "user", content: "To Rome, please." }];
 * const entries = fromAnthropicMessages(messages, { system: "You book flights." });
 * entries.map(({ type, content }) => `${type}: ${content}`);
 * // => ["system_message: You book flights.", "user_message: To Rome, please."]
 * ```
 */
export function fromAnthropicMessages(
  messages: readonly AnthropicMessageLike[],
  options: FromAnthropicOptions = {},
): readonly HistoryEntry[] {
  const { system, ...stamp } = options;
  const place = { format: ANTHROPIC_FORMAT, field: "system", as: "system", codec: anthropicParts };
  const instructions = readInstructions(system && toJson(system), place, stamp);
  return [...instructions, ...readMessages(anthropicFormat, messages, stamp)];
}

/**
 * Converts entries to Anthropic messages, in order and without repairs: entries that were read from such messages become those messages again, with their present content. Linear. Use `toAnthropicRequest` for
 * a request that the API accepts.
 *
 * Other entries get the role of core's `messageRole`, and the results of one action share a message; their images and files are sent only in user messages and results, their
 * reasoning and opaque parts not at all. A `system` that `fromAnthropicMessages` read is omitted, because the request sends it separately.
 *
 * @param viewer - The reader of the prompt: its own `final` becomes an assistant message, another agent's a user message.
 *
 * @example
 * ```ts
 * import { final, userMessage } from "@agent-history/core";
 * import { toAnthropicMessages } from "@agent-history/anthropic";
 *
 * const report = final({ content: "Two seats left.", agent: { id: "w1", role: "worker" } });
 * toAnthropicMessages([userMessage({ content: "Any seats?" }), report], { agentId: "w1" });
 * // => [
 * //   { role: "user", content: "Any seats?" },
 * //   { role: "assistant", content: "Two seats left." },
 * // ]
 * ```
 */
export function toAnthropicMessages(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): AnthropicMessage[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever its provider put there
  return writeMessages(anthropicFormat, entries, { viewer }) as AnthropicMessage[];
}

/** Returns the requirements and measures of Anthropic's Messages API, for `fitForTarget` of `@agent-history/format-kit`. */
export function anthropicTarget(options: AnthropicRuleOptions = {}): TargetFormat {
  const target = {
    rules: anthropicRules(options),
    weigh: portableWeight(ANTHROPIC_FORMAT, foreignContent),
    needsReasoning: true,
  };
  return forReader(target, options);
}

/**
 * Finds messages that Anthropic's Messages API would refuse, by rule and position. Linear.
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
