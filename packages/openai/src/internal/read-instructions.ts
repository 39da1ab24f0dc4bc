import { HistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { positionIds, stampDrafts } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

/** Reads the instructions of a request as a system message, so that they are counted. */
export function readInstructions(
  instructions: string | null | undefined,
  format: string,
  { newId, ...stamp }: ReadOptions,
): readonly HistoryEntry[] {
  if (instructions === undefined || instructions === null) return [];
  if (typeof instructions !== "string") {
    throw new HistoryError("Expected `instructions` to be a string.", {
      code: "INVALID_OPTION",
      details: { option: "instructions" },
    });
  }
  const says = { type: "system_message", content: instructions } as const;
  return stampDrafts([{ says, extra: { as: "instructions" } }], {
    format,
    nextId: newId ?? positionIds({ prefix: "instructions", index: 0, text: instructions }),
    isDerived: newId === undefined,
    ...stamp,
  });
}
