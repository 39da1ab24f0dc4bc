import type { JsonObject, Source } from "@agent-history/core";
import type { AddedSpan } from "@agent-history/postprocess";

import { ADDED_KEY } from "./answer-cleaner.ts";
import { citedNumbers } from "./cited-numbers.ts";
import { followUpQuestions } from "./follow-up-questions.ts";
import { sourceList } from "./source-list.ts";
import { suggestQuestions } from "./suggest-questions.ts";

/** An answer as the user is shown it. */
export interface DecoratedAnswer {
  readonly text: string;
  /** For the entry: it says what of the text the model did not write. */
  readonly metadata: JsonObject;
}

/** Adds to an answer what the model did not write: questions to ask next, and the list of its sources. */
export async function decorateAnswer(
  written: string,
  options: {
    /** What the tools found in this turn. */
    readonly found: readonly Source[];
    readonly findSource: (number: number) => Source | undefined;
    /** Returns whether the documents can answer a question. Default: all. */
    readonly canAnswer?: (question: string) => boolean;
    /** What the user has to know of the answer. Default: nothing. */
    readonly notice?: string;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<DecoratedAnswer> {
  const { found, canAnswer = (): boolean => true, notice = "" } = options;
  const cited = citedNumbers(written);
  const questions = suggestQuestions(found, cited, canAnswer);
  const asked = await followUpQuestions(questions).apply(written, options.signal);
  const text = asked + sourceList(cited, options.findSource) + notice;
  const added: readonly AddedSpan[] = [
    { start: asked.length, end: text.length, textLength: text.length },
  ];
  return { text, metadata: { [ADDED_KEY]: added } };
}
