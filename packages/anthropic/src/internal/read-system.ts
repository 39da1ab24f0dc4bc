import { HistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { positionIds, readContent, stampDrafts, toJson } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import { ANTHROPIC_FORMAT } from "./anthropic-format.ts";
import { anthropicParts } from "./anthropic-parts.ts";

/** Reads the `system` of a request: it counts as a system message. */
export function readSystem(
  system: string | readonly object[] | null | undefined,
  { newId, ...bears }: ReadOptions,
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
    ...bears,
  });
}
