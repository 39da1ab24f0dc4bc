import type { HistoryEntry, Viewer } from "@agent-history/core";
import { conversationLog, writeMessages } from "@agent-history/format-kit";

import type { AnthropicMessage, AnthropicMessageLike } from "./anthropic-message.ts";
import { readSystem } from "./from-anthropic-messages.ts";
import type { FromAnthropicOptions } from "./from-anthropic-messages.ts";
import { anthropicFormat } from "./internal/anthropic-format.ts";

/** A conversation that grows: each message is read once. */
export interface AnthropicLog {
  /** The entries of all messages so far: the same list each time, which `append` makes longer. */
  readonly entries: readonly HistoryEntry[];
  /** Reads messages, and these alone, behind those before. Returns their entries. */
  readonly append: (messages: readonly AnthropicMessageLike[]) => readonly HistoryEntry[];
  /** Turns entries into messages, as `toAnthropicMessages` does; a message that stays as it came is the same object. */
  readonly toMessages: (entries: readonly HistoryEntry[], viewer?: Viewer) => AnthropicMessage[];
}

/**
 * Starts a conversation for a loop that appends: each call costs only the new messages, at any length. The entries are those of
 * `fromAnthropicMessages` on all messages; `toAnthropicRequest` makes a request of them. A message that you change after it was appended is not read again: use
 * `fromAnthropicMessages`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `system` is neither a string nor a list of blocks.
 *
 * @example
 * ```ts
 * import { anthropicLog } from "@agent-history/anthropic";
 *
 * const log = anthropicLog({ system: "You book flights." });
 * log.append([{ role: "user", content: "To Rome, please." }]);
 * log.append([{ role: "assistant", content: "Two flights go there." }]);
 * log.entries.map(({ type }) => type);
 * // => ["system_message", "user_message", "assistant_message"]
 * ```
 */
export function anthropicLog(options: FromAnthropicOptions = {}): AnthropicLog {
  const { system, ...stamp } = options;
  const entries: HistoryEntry[] = [...readSystem(system, stamp)];
  const { append, known } = conversationLog<AnthropicMessageLike>(anthropicFormat, stamp);
  return {
    entries,
    append: (messages) => {
      const added = append(messages);
      for (const entry of added) entries.push(entry);
      return added;
    },
    toMessages: (fitted, viewer = {}) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever its provider put there
      writeMessages(anthropicFormat, fitted, { viewer, known }) as AnthropicMessage[],
  };
}
