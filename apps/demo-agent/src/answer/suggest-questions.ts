import type { Source } from "@agent-history/core";
import { fileKind, readSourceUri } from "@agent-history/offline-model";

const MAX_QUESTIONS = 2;

/** Gives the questions that what was found and not cited suggests. */
export function suggestQuestions(
  found: readonly Source[],
  cited: readonly number[],
): readonly string[] {
  const questions = found.flatMap((source) =>
    source.title === undefined || cited.includes(source.number)
      ? []
      : [questionAbout(source.title, source.uri ?? "")],
  );
  return [...new Set(questions)].slice(0, MAX_QUESTIONS);
}

function questionAbout(title: string, uri: string): string {
  const path = readSourceUri(uri)?.path ?? "";
  if (fileKind(path) === "code") return `What does ${title} do?`;
  return `What is said about “${title.slice(title.lastIndexOf("›") + 1).trim()}”?`;
}
