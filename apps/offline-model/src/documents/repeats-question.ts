import type { Document } from "./document.ts";

/** A shorter question is a search term, which every good source repeats. */
const MIN_WORDS = 4;

const normalized = new WeakMap<Document, string>();

/**
 * Returns whether a document repeats a question word for word, whatever its case, punctuation and line breaks. Such a document (a
 * test, a README with an example) is no evidence for the question: it asks and does not answer.
 */
export function repeatsQuestion(document: Document, question: string): boolean {
  const words = normalize(question);
  if (words.split(" ").length < MIN_WORDS + 2) return false;
  return normalizedText(document).includes(words);
}

function normalizedText(document: Document): string {
  const known = normalized.get(document);
  if (known !== undefined) return known;
  const text = normalize(document.lines.join("\n"));
  normalized.set(document, text);
  return text;
}

/** Words in lower case with one space around each. */
function normalize(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).join(" ")} `;
}
