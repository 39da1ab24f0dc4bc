import type { MoveOptions } from "./move-options.ts";
import { readExport } from "./read-export.ts";

/**
 * Reads an export without importing it: whether it is whole and undamaged.
 *
 * @param text - What `exportThread` gave, in pieces cut anywhere.
 * @returns How many threads and entries it has.
 * @throws `HistoryError` with code `INVALID_ENTRY` or `UNKNOWN_VERSION` where it is not; `details.line` says where, and nothing is quoted.
 */
export async function checkExport(
  text: AsyncIterable<string> | Iterable<string>,
  { signal }: Pick<MoveOptions, "signal"> = {},
): Promise<{ readonly threads: number; readonly entries: number }> {
  let found = { threads: 0, entries: 0 };
  for await (const { record } of readExport(text, signal)) {
    if (record.kind === "end") found = { threads: record.threads, entries: record.entries };
  }
  return found;
}
