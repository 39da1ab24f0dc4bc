import type { HistoryEntry, Viewer } from "@agent-history/core";
import {
  cameAs,
  packBinary,
  readMessages,
  unpackBinary,
  writeMessages,
} from "@agent-history/format-kit";
import type { MessageFormat, ReadOptions } from "@agent-history/format-kit";
import type { ModelMessage, SystemModelMessage } from "ai";

import { readModelMessage } from "./internal/read-model.ts";
import { joinUserMessages, writeModelMessage } from "./internal/write-model.ts";

const INSTRUCTIONS = "ai-sdk-instructions";

/** Model messages of the AI SDK. */
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

/**
 * Turns entries into AI SDK model messages, in their order. Linear.
 *
 * Entries that are still the objects that `fromModelMessages` gave become the same message objects again; others that came from such messages are written with what they say now: a result that was shrunk since is
 * written shrunk. Other entries read as core's `messageRole` says, the results of one action in one message; their images and files are sent in
 * user messages and results only, their reasoning and opaque parts not at all. Instructions that `fromModelMessages` was given are left out. A valid history (`checkHistory`) gives messages
 * that `generateText` takes; where there are system messages among them, with `allowSystemInMessages`.
 *
 * @param viewer - Whose prompt it is: one's own `final` is an assistant's message, another agent's a user's.
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever stands in it
  return writeMessages(modelFormat, entries, {
    viewer,
    known: (run) => cameAs(modelFormat, run),
  }) as ModelMessage[];
}

/** The instructions of a call. AI SDK 5 and 6 have no type of this name to import. */
export type Instructions = string | SystemModelMessage | SystemModelMessage[];

/** Instructions are messages, known by their format: the caller's own, which the AI SDK sends itself. */
const instructionFormat: MessageFormat = {
  ...modelFormat,
  name: INSTRUCTIONS,
  idPrefix: "instructions",
  came: new WeakMap(),
  write: writeModelMessage,
};

/** Reads the instructions of a call: they count as system messages. */
export function readInstructions(
  instructions: Instructions | undefined,
  options: ReadOptions,
): readonly HistoryEntry[] {
  return readMessages(instructionFormat, asMessages(instructions), options);
}

/** Returns instructions as system messages. */
export function asMessages(instructions: Instructions | undefined): readonly SystemModelMessage[] {
  if (instructions === undefined) return [];
  if (typeof instructions === "string") return [{ role: "system", content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
}
