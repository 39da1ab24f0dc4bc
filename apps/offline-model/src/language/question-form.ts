/**
 * What a question wants to be told, as far as its first words tell:
 *
 * - `topic` anything that is said about a thing
 * - `steps` how to do something
 * - `amount` a number
 * - `default` what holds where nothing is said
 * - `reason` why something is so
 * - `time` when something is so
 * - `definition` what a thing is, or what it is for
 * - `fact` anything else
 */
export type QuestionForm =
  | "topic"
  | "steps"
  | "amount"
  | "default"
  | "reason"
  | "time"
  | "definition"
  | "fact";

const LEAD = "^(?:(?:and|but|so|then|also|please)[\\s,]+)*";
/** The first that matches counts. */
const FORMS: readonly (readonly [QuestionForm, RegExp])[] = [
  ["topic", /^what (?:else )?(?:is said|do(?:es)? .* say)\b/i],
  ["reason", new RegExp(`${LEAD}(?:why|what (?:causes?|is the (?:reason|cause)))\\b`, "i")],
  ["time", new RegExp(`${LEAD}(?:when|since when)\\b`, "i")],
  [
    "amount",
    /\bhow (?:many|much|long|often|large|big|deep|far|fast|old|high|small|soon)\b|^(?:what|which)\b.*\b(?:maximum|minimum|limit|size|number|percentage|port|version)\b/i,
  ],
  ["default", /^(?:what|which)\b.*\bdefaults?\b|\bby default\s*\?/i],
  ["steps", new RegExp(`${LEAD}how (?:do|does|can|could|should|shall|must|would|to)\\b`, "i")],
  [
    "definition",
    /^what (?:(?:is|are) (?:\S+ ){0,4}\S+|(?:does|do) (?:\S+ ){1,3}(?:do|mean))\s*\?*$/i,
  ],
];

/** Reads what a question wants to be told. A number that is the default is a default. */
export function questionForm(question: string): QuestionForm {
  const found = FORMS.find(([, pattern]) => pattern.test(question.trim()));
  return found?.[0] ?? "fact";
}
