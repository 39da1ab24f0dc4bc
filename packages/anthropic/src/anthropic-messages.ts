import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";
import {
  faultsFor,
  forReader,
  portableWeight,
  positionIds,
  readContent,
  readMessages,
  stampDrafts,
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
 * Anthropic messages. A user's message with results is an observation for each and a `user_message` for what stands
 * beside them; a compaction block is a `summary`.
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

/** What the entries of a conversation carry beside what its messages say. */
export interface FromAnthropicOptions extends ReadOptions {
  /** The `system` of the request, text or blocks: a `system_message` before all others, so that it is counted. Default: none. */
  readonly system?: string | readonly object[] | null | undefined;
}

/**
 * Converts Anthropic messages to entries, so that `toAnthropicMessages` restores the same messages, unknown fields and unknown blocks included. Linear.
 *
 * An answer with calls is an `action`, each `tool_result` an `observation`; what stands beside results in a user's message is a `user_message`. Thinking is carried byte for
 * byte, with its signature. What a server's tool did stays in its answer; where its result comes in a later answer, it is a call, and the result an `observation`. A
 * `compaction` block is a `summary`. A whole answer of the API is a message, too.
 *
 * With `system`, one entry more stands first.
 *
 * Without `newId`, ids come from position and text (`anthropic-3-1k2x9f`): pass the whole conversation at each call, longer each time, and the entries of the messages
 * before keep their ids, so that a reducer's previous plan goes on. The same message object gives the same entry objects, so that what was counted stays counted.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `system` is neither a string nor a list of blocks.
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
  return [...readSystem(system, stamp), ...readMessages(anthropicFormat, messages, stamp)];
}

/** Reads the `system` of a request: it counts as a system message. */
function readSystem(
  system: string | readonly object[] | null | undefined,
  { newId, ...stamp }: ReadOptions,
): readonly HistoryEntry[] {
  if (system === undefined || system === null) return [];
  if (typeof system !== "string" && !Array.isArray(system)) {
    throw new HistoryError("Expected `system` to be a string or a list of text blocks.", {
      code: "INVALID_OPTION",
      details: { option: "system" },
    });
  }
  const wire = toJson(system);
  const says = { type: "system_message", content: readContent(wire, anthropicParts) } as const;
  return stampDrafts([{ says, extra: { as: "system" } }], {
    format: ANTHROPIC_FORMAT,
    nextId: newId ?? positionIds({ prefix: "system", index: 0, text: JSON.stringify(wire) }),
    isDerived: newId === undefined,
    ...stamp,
  });
}

/**
 * Converts entries to Anthropic messages, in their order, and changes nothing of what came from such messages but what it says now. Linear. `toAnthropicRequest` makes
 * a request of entries, which the API takes; this is its lossless half.
 *
 * Other entries read as core's `messageRole` says, the results of one action in one message; their images and files are sent in user messages and results only, their
 * reasoning and opaque parts not at all. A `system` that `fromAnthropicMessages` read is left out, because the request sends it beside its messages.
 *
 * @param viewer - Whose prompt it is: one's own `final` is an assistant's message, another agent's a user's.
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
