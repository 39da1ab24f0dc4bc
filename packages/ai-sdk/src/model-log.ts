import type { HistoryEntry, Viewer } from "@agent-history/core";
import { conversationLog, writeMessages } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";
import type { ModelMessage } from "ai";

import { modelFormat } from "./internal/model-format.ts";

/** A conversation that grows: each message is read once. */
export interface ModelLog {
  /** The entries of all messages so far: the same list each time, which `append` makes longer. */
  readonly entries: readonly HistoryEntry[];
  /** Reads messages, and these alone, behind those before. Returns their entries. */
  readonly append: (messages: readonly ModelMessage[]) => readonly HistoryEntry[];
  /** Turns entries into messages, as `toModelMessages` does; a message that stays as it came is the same object. */
  readonly toMessages: (entries: readonly HistoryEntry[], viewer?: Viewer) => ModelMessage[];
}

/**
 * Begins a conversation for a loop of your own that appends: a call costs what is new, however long the conversation is. The entries are those of
 * `fromModelMessages` on all messages. A message that you change after it was appended is not read again: use `fromModelMessages`. In the AI
 * SDK's own loop, `fitStep` does this for you.
 *
 * @example
 * ```ts
 * import { modelLog } from "@agent-history/ai-sdk";
 *
 * const log = modelLog();
 * log.append([{ role: "user", content: "To Rome, please." }]);
 * log.append([{ role: "assistant", content: "Two flights go there." }]);
 * log.toMessages(log.entries).map(({ role }) => role);
 * // => ["user", "assistant"]
 * ```
 */
export function modelLog(options: ReadOptions = {}): ModelLog {
  const { entries, append, known } = conversationLog<ModelMessage>(modelFormat, options);
  return {
    entries,
    append,
    toMessages: (fitted, viewer = {}) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever stands in it
      writeMessages(modelFormat, fitted, { viewer, known }) as ModelMessage[],
  };
}
