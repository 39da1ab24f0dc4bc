import { asksForNegation } from "../language/negation.ts";
import { questionForm } from "../language/question-form.ts";
import type { QuestionForm } from "../language/question-form.ts";
import { asksForRemedy } from "../language/remedy.ts";
import { neighbors, terms } from "../language/terms.ts";

/** What a request is about, as far as words tell. */
export interface Topic {
  readonly terms: ReadonlySet<string>;
  /** Terms that stand side by side in the request. */
  readonly pairs: ReadonlySet<string>;
  /** Files that the request names. */
  readonly paths: readonly string[];
  /** Whether it asks what to do, and not what there is. */
  readonly asksForRemedy: boolean;
  /** Whether it asks for what is not so. */
  readonly asksForNegation: boolean;
  /** What it wants to be told. */
  readonly form: QuestionForm;
  /** Its words, without paths. */
  readonly words: string;
}

const QUOTED = /`([^`\n]+)`/g;

/** Reads a request: paths stand between backticks and are no words of it. */
export function topicOf(request: string): Topic {
  const quoted = [...request.matchAll(QUOTED)].map(([, text = ""]) => text);
  const paths = quoted.filter((text) => /[./]/.test(text) && !/\s\s/.test(text));
  const words = paths.reduce((text, path) => text.replaceAll(`\`${path}\``, " "), request);
  const inOrder = terms(words);
  return {
    terms: new Set(inOrder),
    pairs: new Set(neighbors(inOrder)),
    paths,
    asksForRemedy: asksForRemedy(words),
    asksForNegation: asksForNegation(words),
    form: questionForm(words),
    words,
  };
}
