import { HistoryError } from "@agent-history/core";
import type { CompressionStrategy, Concept } from "@agent-history/core";

/**
 * Puts the facts of some concepts instead of everything that may be covered. A model is asked for all of them at once;
 * without a model the sentences that have most to do with a concept are taken. Where nothing is found, nothing is compressed.
 *
 * @param concepts - One or more.
 * @throws `HistoryError` with code `INVALID_OPTION` if there is none, one lacks keyword or description, or a keyword comes twice.
 */
export function retrieveFacts(concepts: readonly Concept[]): CompressionStrategy {
  const keywords = new Set<string>();
  if (!Array.isArray(concepts) || concepts.length === 0) throw invalid("concepts", "one or more");
  for (const [index, { keyword, description, factType }] of concepts.entries()) {
    const option = `concepts.${index}`;
    if (!isText(keyword) || keywords.has(keyword)) {
      throw invalid(`${option}.keyword`, "a non-empty string, each once");
    }
    if (!isText(description)) throw invalid(`${option}.description`, "a non-empty string");
    if (factType !== "single" && factType !== "multiple") {
      throw invalid(`${option}.factType`, "`single` or `multiple`");
    }
    keywords.add(keyword);
  }
  return ({ items }) => ({
    strategy: "retrieve-facts",
    spans: [{ covers: items, concepts }],
  });
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
