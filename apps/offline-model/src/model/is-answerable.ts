import { asksForChanges, isChangelog } from "../documents/is-changelog.ts";
import { passageLines } from "../search/passage.ts";
import type { Shelf } from "../tools/shelf.ts";
import { quoteSources } from "./quote-sources.ts";
import { topicOf } from "./topic.ts";
import { whatAnswers } from "./what-answers.ts";

const MAX_QUOTES = 8;

/** Returns whether one search of the documents finds a quote that answers a question. */
export function isAnswerable(question: string, { index, barred }: Shelf): boolean {
  const passages = index.search(question, {
    accepts: ({ path }) => !barred.has(path) && (!isChangelog(path) || asksForChanges(question)),
  });
  const sources = passages.map((passage, number) => ({
    number,
    path: passage.document.path,
    startLine: passage.startLine,
    endLine: passage.endLine,
    title: passage.title ?? "",
    lines: passageLines(passage).map((text, line) => ({ number: passage.startLine + line, text })),
  }));
  const topic = topicOf(question);
  const quotes = quoteSources(sources, topic, { maxCount: MAX_QUOTES });
  return whatAnswers(quotes, topic, index.count(question)).length > 0;
}
