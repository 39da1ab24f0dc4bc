import type { HistoryEntry, Viewer } from "@agent-history/core";
import {
  joinUserMessages,
  packBinary,
  readMessages,
  unpackBinary,
  writeMessages,
} from "@agent-history/format-kit";
import type { MessageFormat, ReadOptions } from "@agent-history/format-kit";
import type { ModelMessage, SystemModelMessage } from "ai";

import { readModelMessage } from "./internal/read-model.ts";
import { writeModelMessage } from "./internal/write-model.ts";

const INSTRUCTIONS = "ai-sdk-instructions";

/** The format of the AI SDK's model messages. */
export const modelFormat: MessageFormat = {
  name: "ai-sdk",
  idPrefix: "message",
  types: [
    "system_message",
    "user_message",
    "assistant_message",
    "action",
    "observation",
    "summary",
  ],
  shape: "grouped",
  read: readModelMessage,
  // The call sends its instructions itself.
  write: (run, context) =>
    run[0].origin?.format === INSTRUCTIONS ? undefined : writeModelMessage(run, context),
  join: joinUserMessages,
  pack: packBinary,
  unpack: unpackBinary,
  came: new WeakMap(),
};

/** Fields for the entries that messages do not contain. */
export interface FromModelOptions extends ReadOptions {
  /**
   * The `instructions` of the call, read as system messages before all others, so that they count. `toModelMessages` leaves them out, because the AI
   * SDK sends them itself. Default: none.
   */
  readonly instructions?: Instructions | undefined;
}

/**
 * Converts AI SDK model messages to entries, so that `toModelMessages` returns the same messages: provider options, files,
 * signed reasoning, approvals, every kind of tool output, unknown fields and parts. Linear.
 *
 * An assistant message with calls becomes an `action`, each result in a tool message an `observation`; an approval request becomes
 * a call, and its response an `observation`. A provider's compaction becomes a `summary`. Tools that the provider ran stay in
 * the answer; if their result is in a later answer (a program that calls your tools, an interrupted answer), they become a call and an
 * `observation`, so that both are kept or dropped together. `URL`s and bytes are stored as JSON and restored; a `Buffer` becomes a plain `Uint8Array`.
 *
 * Without `newId`, ids are derived from position and text (`message-3-1k2x9f`). Pass the full conversation at each call:
 * the entries of earlier messages keep their ids, so that a reducer can continue its previous plan. The same message
 * object gives the same entry objects, so that counts are reused.
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

/**
 * Converts entries to AI SDK model messages, in order. Linear.
 *
 * Unchanged entry objects from `fromModelMessages` become the same message objects again; changed ones are written with their present content, e.g. a shortened result
 * stays short. Other entries are converted by core's `messageRole`, the results of one action in one message; their images and files are sent only in
 * user messages and results, their reasoning and opaque parts not at all. Instructions that were passed to `fromModelMessages` are left out. A valid history (`checkHistory`) gives messages
 * that `generateText` accepts; if system messages are among them, set `allowSystemInMessages`.
 *
 * @param viewer - The viewer of the prompt: its own `final` is an assistant message, another agent's a user message.
 *
 * @example
 * ```ts
 * import { final, userMessage } from "@agent-history/core";
 * import { toModelMessages } from "@agent-history/ai-sdk";
 *
 * const report = final({ content: "Two seats left.", agent: { id: "w1", role: "worker" } });
 * toModelMessages([userMessage({ content: "Any seats?" }), report], { agentId: "m1" });
 * // => [
 * //   { role: "user", content: "Any seats?" },
 * //   { role: "user", content: "Two seats left." },
 * // ]
 * ```
 */
export function toModelMessages(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): ModelMessage[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each message of the input is returned as a message, with any unknown fields
  return writeMessages(modelFormat, entries, { viewer }) as ModelMessage[];
}

/** The instructions of a call. AI SDK 5 and 6 do not export such a type. */
export type Instructions = string | SystemModelMessage | SystemModelMessage[];

/** The format of instructions, which marks the caller's own system messages: the AI SDK sends them itself. */
const instructionFormat: MessageFormat = {
  ...modelFormat,
  name: INSTRUCTIONS,
  idPrefix: "instructions",
  came: new WeakMap(),
  write: writeModelMessage,
};

/** Reads the instructions of a call as system messages, so that they count. */
function readInstructions(
  instructions: Instructions | undefined,
  options: ReadOptions,
): readonly HistoryEntry[] {
  return readMessages(instructionFormat, asMessages(instructions), options);
}

/** Returns instructions as system messages. */
function asMessages(instructions: Instructions | undefined): readonly SystemModelMessage[] {
  if (instructions === undefined) return [];
  if (typeof instructions === "string") return [{ role: "system", content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
}
