import type { Document } from "./document.ts";
import { repeatsQuestion } from "./repeats-question.ts";

/** Finds the documents that repeat a question of the thread: they ask it too, and so are no evidence for it. */
export function findBarred(
  documents: readonly Document[],
  questions: readonly string[],
): ReadonlySet<string> {
  return new Set(
    documents
      .filter((document) => questions.some((question) => repeatsQuestion(document, question)))
      .map(({ path }) => path),
  );
}
