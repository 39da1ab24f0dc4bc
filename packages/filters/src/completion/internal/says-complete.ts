import { isObject } from "@agent-history/core";

/** Words that negate a phrase, or make it something that has not happened. */
const UNDOING = new Set([
  ..."not never no nothing none neither nor without cannot hardly barely almost nearly partly partially half".split(
    " ",
  ),
  ..."isn't wasn't aren't weren't hasn't haven't hadn't don't doesn't didn't won't can't couldn't".split(
    " ",
  ),
  ..."will would should shall must could may might to if when once until unless before yet failed".split(
    " ",
  ),
]);

/** How many words before a phrase can negate it. */
const REACH = 4;

const SENTENCE_END = /[.!?;,:\n]/u;
const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu;

/**
 * Returns whether a text says that something is complete: it contains one of the phrases as whole words, in a clause
 * that is not a question, and none of the four words before it negates it ("not done", "will be finished"). Linear.
 */
export function saysComplete(text: string, phrases: readonly (readonly string[])[]): boolean {
  for (const { sentence, isQuestion } of sentences(text)) {
    if (isQuestion) continue;
    const words = wordsOf(sentence);
    if (phrases.some((phrase) => asserts(words, phrase))) return true;
  }
  return false;
}

/** Returns the words of a text, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return (text.match(WORD) ?? []).map((word) => word.toLowerCase().replace("’", "'"));
}

function* sentences(text: string): Generator<{ sentence: string; isQuestion: boolean }> {
  let start = 0;
  for (let end = 0; end <= text.length; end++) {
    if (end < text.length && !SENTENCE_END.test(text.charAt(end))) continue;
    if (end > start) yield { sentence: text.slice(start, end), isQuestion: text[end] === "?" };
    start = end + 1;
  }
}

function asserts(words: readonly string[], phrase: readonly string[]): boolean {
  return words.some((_, start) => {
    if (!phrase.every((word, offset) => words[start + offset] === word)) return false;
    const before = words.slice(Math.max(0, start - REACH), start);
    return !before.some((word) => UNDOING.has(word));
  });
}

/**
 * Returns whether the result of a step says that the work is done: `completed: true`, a validation with `complete: true`,
 * or a phrase in one of its texts. A result that reports a failure never does.
 */
export function resultSaysComplete(result: unknown, isSaid: (text: string) => boolean): boolean {
  if (typeof result === "string") {
    const parsed = parseObject(result);
    return parsed === undefined ? isSaid(result) : resultSaysComplete(parsed, isSaid);
  }
  if (!isObject(result) || isFailure(result)) return false;
  if (result["completed"] === true) return true;
  if (result["completed"] === false) return false;
  const validations = [result["responseValidation"], result["response_validation"]];
  if (validations.some((value) => isObject(value) && value["complete"] === true)) return true;
  return TEXT_FIELDS.some((field) => {
    const text = result[field];
    return typeof text === "string" && isSaid(text);
  });
}

/** Fields with the result in words. */
const TEXT_FIELDS = [
  "message",
  "summary",
  "finalResult",
  "final_result",
  "humanReadableSummary",
  "human_readable_summary",
];

function isFailure({
  error,
  success,
  outcome = "success",
}: Readonly<Record<string, unknown>>): boolean {
  return success === false || outcome !== "success" || (error ?? false) !== false;
}

function parseObject(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
