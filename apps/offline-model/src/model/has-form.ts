import type { QuestionForm } from "../language/question-form.ts";
import { terms } from "../language/terms.ts";
import type { Statement } from "./statements.ts";

const NUMBER =
  "(?:\\d[\\d.,_]*|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|infinity|infinite|unlimited|any number|once|twice|half|all|an? (?:second|minute|hour|day|week|month|year)|forever)";
const AMOUNT = new RegExp(`\\b${NUMBER}\\b`, "i");
const DEFAULT =
  /\bdefaults?\b\W*(?:[\w-]+\W+){0,3}?(?:is|are|=|to|value)\b|\bdefaults?\W{0,4}:|\bby default\b/i;
const VALUE = /[`'"“]|\d|\b(?:true|false|none|null|undefined|on|off|enabled|disabled)\b/i;
const REASON =
  /\b(?:because|since|due to|reasons?|so that|in order to|therefore|thus|hence|causes?|caused|results? (?:in|of)|leads? to|otherwise|to (?:avoid|prevent|ensure|protect)|as (?:such|(?:\w+ ){1,4}(?:may|must|can|cannot|is|are|does|do|has|have|will)))\b/i;
const TIME =
  /\b(?:when|whenever|while|after|before|if|once|until|unless|as soon as|during|upon|every|each|at the (?:end|start|beginning)|\d+)\b/i;
const LENGTH = /\bhow (?:long|often|soon)\b/i;
const INSTRUCTION =
  /\b(?:us(?:e|ed|ing)|set(?:ting)?|pass(?:ed|ing)?|call(?:ed|ing)?|add(?:ed|ing)?|enabl(?:e|ed|ing)|disabl(?:e|ed|ing)|configur(?:e|ed|ing)|run|install|import|write|create|define|specify|specified|provid(?:e|ed|ing)|suppl(?:y|ied)|you (?:can|may|must|need)|by \w+ing|via)\b/i;
const CODE_MARK = /`[^`]+`|\w\(|=>|(?:^|\s)--\w/;

/** What a statement is held against. */
export interface AskedThing {
  readonly form: QuestionForm;
  /** The words of the question, as it writes them. */
  readonly question: string;
  /** The stems that say what it is about. */
  readonly strong: readonly string[];
}

/** Returns whether a statement is of the form that a question wants: a number where it asks how many, a reason where it asks why. */
export function hasForm(statement: Statement, { form, question, strong }: AskedThing): boolean {
  const { text, after } = statement;
  switch (form) {
    case "topic":
    case "fact":
      return true;
    case "amount":
      return isCounted(text, question) || (LENGTH.test(question) && TIME.test(text));
    case "default":
      return DEFAULT.test(text) && VALUE.test(text) && isDefaultOf(text, strong);
    case "reason":
      return REASON.test(`${text} ${after}`);
    case "time":
      return TIME.test(text);
    case "steps":
      return (INSTRUCTION.test(text) && CODE_MARK.test(`${text} ${after}`)) || isExample(statement);
    case "definition":
      return isDefinition(statement, strong);
  }
}

/** What the colon announces is an example. */
function isExample({ text, after }: Statement): boolean {
  return text.endsWith(":") && CODE_MARK.test(after);
}

/** How many words may stand between a number and what it counts. */
const NEAR = 3;

/** Where it asks how many of a thing, that thing stands beside a number. */
function isCounted(text: string, question: string): boolean {
  const [, counted] = /\bhow (?:many|much) (\w+)/i.exec(question) ?? [];
  const [thing] = terms(counted ?? "");
  if (thing === undefined) return AMOUNT.test(text);
  const words = text.split(/\s+/);
  return words.some((word, index) => {
    const near = words.slice(Math.max(0, index - NEAR), index + NEAR + 1).join(" ");
    return AMOUNT.test(word) && terms(near).includes(thing);
  });
}

const IS =
  /^\W*(?:is|are|means?|represents?|describes?|provides?|allows?|lets?|makes?|creates?|adds?|gives?|defines?|controls?|sets?|enables?|handles?|manages?|runs?|can be used)\b/i;

/** What is called the default is a thing that is asked for. */
function isDefaultOf(text: string, strong: readonly string[]): boolean {
  const [, named = "value"] = /\bdefault ([\w-]+) (?:is|are)\b/i.exec(text) ?? [];
  return named === "value" || terms(named).some((term) => strong.includes(term));
}

/** It stands first under a heading that is the thing, or begins with the thing and says what that is or does. */
function isDefinition({ text, heading }: Statement, strong: readonly string[]): boolean {
  if (heading !== undefined && isThing(heading, strong)) return true;
  const words = text.replace(/^\W*(?:an?|the)\s/i, "").split(/\s+/);
  return words.some((_, count) => {
    const begin = words.slice(0, count + 1).join(" ");
    return isThing(begin, strong) && IS.test(words.slice(count + 1).join(" "));
  });
}

function isThing(words: string, strong: readonly string[]): boolean {
  const found = new Set(terms(words));
  return found.size > 0 && found.size === strong.length && strong.every((term) => found.has(term));
}
