import type { JsonValue, TextCleaner } from "@agent-history/core";

import { assertOption } from "./internal/cleaner-errors.ts";
import { cleanerFailed } from "./internal/cleaner-errors.ts";

/** Options of {@link metadataSpanCleaner}. */
export interface MetadataSpanCleanerOptions {
  /** The field of an entry's metadata that holds a list of {@link AddedSpan}, in the order of the text. */
  readonly key: string;
  /** Its name in reports. Default: the key. */
  readonly name?: string | undefined;
}

/** A record of what was added to a text. A type and not an interface, so that it is JSON. */
export type AddedSpan = {
  readonly start: number;
  readonly end: number;
  /** The length of the text as shown. The record is ignored for a text of another length. */
  readonly textLength: number;
  /** Index of the content part, from 0; missing for plain text. */
  readonly partIndex?: number;
};

/**
 * Cuts the spans that an entry's metadata records as added: no marks in what the user sees, and nothing that a model
 * could imitate.
 *
 * A record of a text of another length is of an earlier or later text and cuts nothing, so that cleaning twice is
 * cleaning once; a malformed list is a failure. A bare text has no metadata.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on an empty key.
 * @example
 * ```ts
 * import { assistantMessage } from "@agent-history/core";
 * import { historyCleaner, metadataSpanCleaner } from "@agent-history/postprocess";
 *
 * const written = "It rose.";
 * const shown = `${written} 📈`;
 * const added = [{ start: written.length, end: shown.length, textLength: shown.length }];
 * const answer = assistantMessage({ id: "a1", content: shown, metadata: { added } });
 * const cleaner = historyCleaner({ cleaners: [metadataSpanCleaner({ key: "added" })] });
 * cleaner.clean([answer]).cuts;
 * // => [{ entryId: "a1", cleaner: "added", start: 8, end: 11 }]
 * ```
 */
export function metadataSpanCleaner(options: MetadataSpanCleanerOptions): TextCleaner {
  const { key, name = key } = options;
  assertOption(key !== "", "key", key, "not empty");
  return {
    name,
    findSpans: (text, source) => {
      const records = source?.entry.metadata?.[key] ?? [];
      if (!areAddedSpans(records)) throw cleanerFailed(name);
      return records.filter(
        (record) => record.textLength === text.length && record.partIndex === source?.partIndex,
      );
    },
  };
}

/** Checks only the shape: the caller refuses invalid spans. */
function areAddedSpans(value: JsonValue): value is readonly AddedSpan[] {
  return Array.isArray(value);
}
