import type { HistoryEntry } from "@agent-history/core";

import { joinDerived } from "./join-derived.ts";
import type { MessageFormat } from "./message-format.ts";
import { writeRuns } from "./write-runs.ts";
import type { WriteOptions } from "./write-runs.ts";

/**
 * Turns entries into messages, in their order: what came from one message of this format into that message again, with what
 * it says now. An entry that cannot be read is left out, and so is what a
 * model is never shown (`isRendered`). Linear.
 */
export function writeMessages(
  format: MessageFormat,
  entries: readonly HistoryEntry[],
  options: WriteOptions = {},
): readonly object[] {
  const { join } = format;
  const written = writeRuns(format, entries, options);
  const messages =
    join === undefined ? written.map(({ message }) => message) : joinDerived(written, join);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever it is
  return messages as readonly object[];
}
