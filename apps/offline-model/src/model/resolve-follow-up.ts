import { pathParts } from "../documents/path-parts.ts";
import { terms } from "../language/terms.ts";
import { readEvidence } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import type { Utterance } from "./utterance.ts";

const ORDINALS = ["first", "second", "third", "fourth", "fifth"];
const WORD = "[\\p{L}\\p{N}'’-]+";
/** "that filter you found first", "the file we saw before", "the second answer you gave" */
const POINTER = new RegExp(
  `\\b(?:that|this|those|these|the)\\s+(${WORD}(?:\\s+${WORD})??)\\s+(?:that\\s+|which\\s+)?(?:you|we)\\s+(?:just\\s+)?${WORD}(?:\\s+(?:${ORDINALS.join("|")}|last|before|earlier|above))?`,
  "iu",
);
/** A question that begins with a pointer: "What about that one", "And does it …", "Is this rule …" */
const OPENER = new RegExp(
  `^((?:(?:and|but|so|then|also|what about|how about|is|are|was|does|do|did|can|why|how|when|where|what|which)[\\s,]+)*)(?:(?:it|they|them)|(?:that|this|those|these)(?:\\s+(?!(?:is|are|was|were|do|does|did|has|have|can|will)\\b)(${WORD}))?)(?![\\p{L}’'])`,
  "iu",
);

/**
 * Makes a question that refers to what was said before stand on its own: what it points at is replaced by the name of the file
 * that the answer meant cited, and that file is named. A question that stands on its own is returned as it is.
 */
export function resolveFollowUp(conversation: readonly Utterance[]): string {
  const asked = conversation.findLastIndex(({ speaker }) => speaker === "user");
  const question = conversation[asked]?.text ?? "";
  const answers = conversation
    .slice(0, Math.max(asked, 0))
    .filter(({ speaker }) => speaker === "assistant")
    .map(({ text }) => readEvidence(text))
    .filter((evidence) => evidence.length > 0);
  const reference = findReference(question);
  const meant = reference && findMeant(answers, reference);
  if (reference === undefined || meant === undefined) return question;
  const words = question.replace(reference.phrase, () => ` ${pathParts(meant.path).name} `);
  const tidy = words
    .replace(/\s+/g, " ")
    .replace(/ (?=[?!.,;:])/g, "")
    .trim();
  return `${tidy} (see \`${meant.path}\`)`;
}

/** Words that point at something said before. */
interface Reference {
  readonly phrase: string;
  /** What kind of thing it is, where the phrase says so. */
  readonly noun: string;
  /** Whether the phrase itself says that it was said before. */
  readonly isCertain: boolean;
}

function findReference(question: string): Reference | undefined {
  const pointer = POINTER.exec(question);
  if (pointer !== null) return { phrase: pointer[0], noun: pointer[1] ?? "", isCertain: true };
  const [all, lead = "", noun = ""] = OPENER.exec(question) ?? [];
  if (all === undefined) return undefined;
  return { phrase: all.slice(lead.length), noun, isCertain: noun === "" };
}

/** The evidence that a reference means: by its index among the answers, else the newest that speaks of such a thing. */
function findMeant(
  answers: readonly (readonly Evidence[])[],
  { phrase, noun, isCertain }: Reference,
): Evidence | undefined {
  const words = phrase.toLowerCase().split(/\s+/);
  const ordinal = ORDINALS.findIndex((word) => words.includes(word));
  const wanted = terms(noun);
  const speaksOf = (text: string): boolean => {
    const found = new Set(terms(text));
    return wanted.some((term) => found.has(term));
  };
  const candidates = ordinal >= 0 ? (answers[ordinal] ?? []) : answers.toReversed().flat();
  return (
    candidates.find(({ path }) => speaksOf(path)) ??
    candidates.find(({ quote }) => speaksOf(quote.join(" "))) ??
    (isCertain ? candidates[0] : undefined)
  );
}
