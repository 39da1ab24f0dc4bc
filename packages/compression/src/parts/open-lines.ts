import { wordsOfText } from "../facts/internal/words-of-text.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import type { WeighedFact } from "../gate/internal/weigh-facts.ts";
import { argumentTexts } from "./argument-values.ts";
import type { ReadCall } from "./read-calls.ts";
import type { SummaryItem, SummaryLine } from "./summary-line.ts";

const OPEN_STATES = /^(?:pending|in[_ -]?progress|open|todo|not[_ -]?started|blocked|doing)$/i;
const LONGEST_STEP = 200;
/** From this weight on nobody has answered. */
const UNANSWERED = 0.5;

/** What is open: steps of the last plan that are not done, and questions that nobody answered. */
export function openLines(
  calls: readonly ReadCall[],
  facts: readonly WeighedFact[],
): readonly SummaryLine[] {
  const steps = stepsOf(calls);
  // What users ask stands in their own words.
  const questions = facts
    .filter(
      ({ kind, weight, origins }) =>
        kind === "question" && weight >= UNANSWERED && !origins.has("user"),
    )
    .map(({ text, entries }) => itemOf(text, 3, entries.at(-1) ?? 0));
  return [
    { part: "open", head: "Open: ", joint: "; ", end: ".", items: steps },
    { part: "open", head: "Asked: ", joint: " ", end: "", items: questions },
  ];
}

/** A plan is a list of objects with a state and a text, in the arguments of a call: the last one holds. */
function stepsOf(calls: readonly ReadCall[]): readonly SummaryItem[] {
  for (let index = calls.length - 1; index >= 0; index--) {
    const call = calls[index];
    const plan = call === undefined ? undefined : planIn(call.args);
    if (call === undefined || plan === undefined) continue;
    return plan.flatMap((step) => {
      const texts = argumentTexts(step);
      const state = texts.find(({ value }) => OPEN_STATES.test(value));
      const text = texts.find(({ value }) => value.length > 3 && value.includes(" "));
      if (state === undefined || text === undefined) return [];
      return [itemOf(text.value.slice(0, LONGEST_STEP), 4, call.index)];
    });
  }
  return [];
}

/** The steps of a plan in the arguments of a call, where they hold one. */
export function planIn(args: unknown): readonly object[] | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  for (const value of Object.values(args)) {
    if (!Array.isArray(value) || value.length === 0) continue;
    const isPlan = value.every(
      (step) => typeof step === "object" && step !== null && ("status" in step || "state" in step),
    );
    if (isPlan) return value;
  }
  return undefined;
}

function itemOf(text: string, worth: number, index: number): SummaryItem {
  return { text: quoteData(text).replace(/\.$/, ""), says: wordsOfText(text), worth, index };
}
