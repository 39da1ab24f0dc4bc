import { overReadable } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { readMessages } from "@agent-history/format-kit";
import type { MessageFormat, ReadOptions } from "@agent-history/format-kit";
import type { SystemModelMessage } from "ai";

import { modelFormat } from "./model-format.ts";

/** The instructions of a call. AI SDK 5 and 6 have no type of this name to import. */
export type Instructions = string | SystemModelMessage | SystemModelMessage[];

/** Instructions are messages, known by their format: the caller's own, which the AI SDK sends itself. */
const instructionFormat: MessageFormat = {
  ...modelFormat,
  name: "ai-sdk-instructions",
  idPrefix: "instructions",
};

/** Reads the instructions of a call: they count as system messages. */
export function readInstructions(
  instructions: Instructions | undefined,
  options: ReadOptions,
): readonly HistoryEntry[] {
  return readMessages(instructionFormat, asMessages(instructions), options);
}

/** Returns the entries but for those that {@link readInstructions} gave. */
export function withoutInstructions(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return overReadable(entries, (readable) => readable.filter((entry) => !isInstruction(entry)));
}

function isInstruction({ origin }: HistoryEntry): boolean {
  return origin?.format === instructionFormat.name;
}

/** Returns instructions as system messages. */
export function asMessages(instructions: Instructions | undefined): readonly SystemModelMessage[] {
  if (instructions === undefined) return [];
  if (typeof instructions === "string") return [{ role: "system", content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
}
