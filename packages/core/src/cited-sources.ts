const CITATION = /\[source:? ?\d{1,9}(?:, ?(?:source:? ?)?\d{1,9})*\]/gi;
const NUMBER = /\d+/gu;

/**
 * Reads the citation numbers of a text: `[source3]`, `[source3, source5]`, `[source: 3, 5]`. Linear.
 *
 * @returns Each number once, in order of first occurrence.
 *
 * @example
 * ```ts
 * import { citedSources } from "@agent-history/core";
 *
 * citedSources("Water boils [source3], ice melts [source: 5, 3].");
 * // => [3, 5]
 * ```
 */
export function citedSources(text: string): readonly number[] {
  const marks = text.match(CITATION) ?? [];
  const numbers = marks.flatMap((mark) => mark.match(NUMBER) ?? []).map(Number);
  return [...new Set(numbers)];
}
