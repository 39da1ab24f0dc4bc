import type { HistoryEntry } from "@agent-history/core";
import { readMessages } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";
import type { ModelMessage } from "ai";

import { modelFormat } from "./internal/model-format.ts";
import { readInstructions } from "./internal/read-instructions.ts";
import type { Instructions } from "./internal/read-instructions.ts";

/** What the entries of messages carry beside what the messages say. */
export interface FromModelOptions extends ReadOptions {
  /**
   * The `instructions` of the call: system messages before all others, so that they are counted. `toModelMessages` leaves them out, because the AI
   * SDK sends them itself. Default: none.
   */
  readonly instructions?: Instructions | undefined;
}

/**
 * Converts AI SDK model messages to entries, so that `toModelMessages` gives the same messages back: provider options, files,
 * reasoning with its signature, approvals, every kind of tool output, fields and parts of no known kind. Linear.
 *
 * An assistant's message with calls is an `action`, each result of a tool's message an `observation`; a request to approve a call is
 * a call too, and its answer an `observation`. A provider's compaction is a `summary`. What the provider ran itself stays in
 * the answer; where its result comes in a later answer (a program that calls your tools, an interrupted answer), it is a call, and the result an
 * `observation`, so that both are kept or dropped as one. `URL`s and bytes become JSON, and come back as what they were; a `Buffer` as a plain `Uint8Array`.
 *
 * Without `newId`, ids come from position and text (`message-3-1k2x9f`): pass the whole conversation at each call, longer each
 * time, and the entries of the messages before keep their ids, so that a reducer's previous plan goes on. The same message
 * object gives the same entry objects, so that what was counted stays counted.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `messages` is not a list.
 *
 * @example
 * ```ts
 * import { fromModelMessages } from "@agent-history/ai-sdk";
 *
 * const entries = fromModelMessages([
 *   { role: "user", content: "To Rome, please." },
 *   { role: "assistant", content: "Two flights go there." },
 * ]);
 * entries.map(({ type, content }) => `${type}: ${content}`);
 * // => ["user_message: To Rome, please.", "assistant_message: Two flights go there."]
 * ```
 */
export function fromModelMessages(
  messages: readonly ModelMessage[],
  options: FromModelOptions = {},
): readonly HistoryEntry[] {
  const { instructions, ...stamp } = options;
  const entries = readMessages(modelFormat, messages, stamp);
  return instructions === undefined
    ? entries
    : [...readInstructions(instructions, stamp), ...entries];
}
