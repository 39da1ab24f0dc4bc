import { HistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import {
  positionIds,
  readContent,
  readMessages,
  stampDrafts,
  toJson,
} from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import type { AnthropicMessageLike } from "./anthropic-message.ts";
import { anthropicFormat } from "./internal/anthropic-format.ts";
import { anthropicParts } from "./internal/anthropic-parts.ts";

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
    format: anthropicFormat.name,
    nextId: newId ?? positionIds({ prefix: "system", index: 0, text: JSON.stringify(wire) }),
    isDerived: newId === undefined,
    ...stamp,
  });
}
