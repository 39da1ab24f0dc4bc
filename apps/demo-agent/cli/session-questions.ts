import { isAnswerable, searchIndex, splitPassages } from "@agent-history/offline-model";
import type { Document, Passage } from "@agent-history/offline-model";

/** The session about this repository. The third question refers to the first. */
export const BUILT_IN_QUESTIONS: readonly string[] = [
  "What does a worker never see?",
  "Which entries does a summary never cover?",
  "Does that filter you found first let a worker see earlier turns?",
];

/** Says what changed or what is allowed, and not what there is. */
const ASIDE = /(?:^|\/)(?:changelog|changes|contributing|history|license|licence|notice)[^/]*$/i;

/** This many headings are tried by a search each; more are not. */
const MAX_TRIED = 20;

/**
 * Makes a session about another folder, of what its largest sections and declarations are called, as far as the documents can answer it; the
 * last question refers to the first.
 */
export function sessionQuestions(documents: readonly Document[]): readonly string[] {
  const sections = documents
    .filter(({ path }) => !ASIDE.test(path))
    .flatMap((document) => largestSection(splitPassages(document)) ?? [])
    .toSorted((a, b) => rank(b) - rank(a) || (a.title < b.title ? -1 : 1));
  const shelf = { documents, index: searchIndex(documents), barred: new Set<string>() };
  const questions: string[] = [];
  for (const title of [...new Set(sections.map((each) => each.title))].slice(0, MAX_TRIED)) {
    const question = `What is said about ${title}?`;
    if (questions.length < 2 && isAnswerable(question, shelf)) questions.push(question);
  }
  if (questions.length === 0) return [];
  return [...questions, "What else does that file you found first say?"];
}

interface Section {
  readonly title: string;
  readonly isProse: boolean;
  readonly lineCount: number;
}

/** Prose explains itself, so it goes first. */
function rank({ isProse, lineCount }: Section): number {
  return (isProse ? 1_000_000 : 0) + lineCount;
}

function largestSection(passages: readonly Passage[]): Section | undefined {
  const counts = new Map<string, Section>();
  for (const { title, kind, startLine, endLine } of passages) {
    const name = title?.split(" › ").at(-1);
    if (name === undefined) continue;
    const lineCount = (counts.get(name)?.lineCount ?? 0) + endLine - startLine + 1;
    counts.set(name, { title: name, isProse: kind === "prose", lineCount });
  }
  return [...counts.values()].toSorted((a, b) => b.lineCount - a.lineCount)[0];
}
