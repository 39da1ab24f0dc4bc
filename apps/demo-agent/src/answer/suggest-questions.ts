import type { Source } from "@agent-history/core";
import { fileKind, readSourceUri } from "@agent-history/offline-model";

const MAX_QUESTIONS = 2;
/** Each is tried by a search; more than this many are not. */
const MAX_TRIED = 4;

/** Returns the questions that what was found and not cited suggests, and that can be answered. */
export function suggestQuestions(
  found: readonly Source[],
  cited: readonly number[],
  canAnswer: (question: string) => boolean,
): readonly string[] {
  // Prose explains itself.
  const inOrder = found.toSorted((a, b) => Number(isCode(a)) - Number(isCode(b)));
  const questions = inOrder.flatMap((source) =>
    source.title === undefined || cited.includes(source.number)
      ? []
      : [questionAbout(source.title, isCode(source))],
  );
  return [...new Set(questions)].slice(0, MAX_TRIED).filter(canAnswer).slice(0, MAX_QUESTIONS);
}

function isCode({ uri = "" }: Source): boolean {
  return fileKind(readSourceUri(uri)?.path ?? "") === "code";
}

function questionAbout(title: string, ofCode: boolean): string {
  if (ofCode) return `What does ${title} do?`;
  return `What is said about “${title.slice(title.lastIndexOf("›") + 1).trim()}”?`;
}
