import type { SummaryPart } from "@agent-history/core";

import { isRelease, isStanding, isUpdate } from "./markers.ts";
import type { Step } from "./steps.ts";
import { namesOf, overlapOf, sentencesOf, wordsOf } from "./text.ts";

/** Lasting statements of users: what they forbid, require or prefer, and facts. A short message is one statement. */
export function statementParts(users: readonly Step[]): readonly SummaryPart[] {
  return users.flatMap(({ text, at, via }) => {
    if (via === "answer" || via === "plan") return [];
    // In a long brief, only its beginning and end can be told apart from what it describes.
    const ends = text.length > 1500 ? `${text.slice(0, 500)}\n${text.slice(-500)}` : text;
    const sentences = sentencesOf(ends);
    const isShort = text.length <= SHORT && !text.includes("\n");
    const standing = sentences.filter(isStanding).slice(0, 8);
    const facts = isShort && standing.length === 0 && sentences.some(isFact) ? [text] : [];
    const isOne = standing.length === 1 || standing.some((sentence) => REFERS.test(sentence));
    const rules = isShort && standing.length > 0 && isOne ? [text] : standing;
    const ofKind = { kind: "rule", at };
    return [
      ...rules.map((rule) => ({ ...ofKind, key: rule.toLowerCase(), text: rule })),
      ...facts.map((fact) => ({ ...ofKind, key: fact.toLowerCase(), text: fact, state: "fact" })),
    ];
  });
}

const SHORT = 240;
/** A sentence that depends on the previous one. */
const REFERS = /(?<!\p{L})(?:them|it|these|those|they)(?!\p{L})/iu;

/** "FACT: …", "Deadline: …", "The staging server is at …", "We release on …": no question and no request. */
function isFact(sentence: string): boolean {
  if (/[?？]\s*$/.test(sentence)) return false;
  if (/^\p{Lu}[\p{L} ]{2,24}[:：] ?[^\s/\d]/u.test(sentence)) return true;
  const values = valuesIn(sentence);
  if (values.size === 0 && namesOf(sentence).length === 0) return false;
  if (equationOf(sentence) !== undefined) return true;
  // "Keep it under $500 now" settles something, "now fix ABC-12" asks for something.
  const isSettled =
    isUpdate(sentence) && ["money", "date", "zone"].some((form) => values.has(form));
  return values.size > 0 && (isSettled || DECLARES.test(sentence));
}

/** Beginnings of sentences that state something and request nothing. */
const DECLARES =
  /^(?:the|our|we|my|all|der|die|das|unser\p{L}*|wir|mein\p{L}*|os?|as?|nosso|nossa|meu|minha|nós|el|la|los|las|nuestr[oa]|mi|les?|notre|nous|mon|ma)\s/iu;

/** Kinds whose parts are sentences. */
const SAID: ReadonlySet<string> = new Set("rule why open turn task first note found".split(" "));

interface Claim {
  readonly at: number;
  readonly text: string;
  readonly subject?: string;
  readonly value?: string;
  readonly isRule: boolean;
  readonly words: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
}

/** Removes what was corrected later: older values, and rules that were replaced or withdrawn. */
export function corrected(parts: readonly SummaryPart[]): readonly SummaryPart[] {
  const equations = parts.flatMap(({ kind, text, note = "", at }) =>
    SAID.has(kind)
      ? [...equationsIn(text), ...equationsIn(note)].map((one) => ({ ...one, at }))
      : [],
  );
  const newest = new Map(equations.map((one) => [one.subject, one]));
  const gone = replacedClaims(parts);
  const isStale = (sentence: string, at: number): boolean => {
    const { subject = "", value } = equationOf(sentence) ?? {};
    const last = newest.get(subject);
    if (last !== undefined && last.value !== value && last.at >= at) return true;
    return [...gone].some(([claim, until]) => at <= until && repeats(sentence, claim));
  };
  const rest = (text: string, at: number): string =>
    text.length > 4000
      ? text
      : sentencesOf(text)
          .filter((one) => one.length < 300 && isStale(one, at))
          .reduce((left, sentence) => left.replace(sentence, "").trim(), text);
  const replaced = new Set([...gone.keys()].map(({ at, text }) => `${at} ${text}`));
  return parts.flatMap((part): readonly SummaryPart[] => {
    const { kind, at, note } = part;
    if (!SAID.has(kind)) return [part];
    if (replaced.has(`${at} ${part.text}`)) return [];
    // One task may itself say two things about one subject.
    const since = kind === "task" ? at + 0.5 : at;
    const [text, reply] = [rest(part.text, since), rest(note ?? "", at)];
    if (text === "" && (kind !== "turn" || reply === "")) return [];
    if (text === part.text && reply === (note ?? "")) return [part];
    // What is left of a statement may be small talk.
    if (kind === "rule" && !sentencesOf(text).some((one) => isStanding(one) || isFact(one)))
      return [];
    const { note: _note, ...others } = part;
    return [{ ...others, text, ...(reply !== "" && { note: reply }) }];
  });
}

/** Statements that a later one replaces or withdraws, each with its position. */
function replacedClaims(parts: readonly SummaryPart[]): ReadonlyMap<Claim, number> {
  const claims = parts.filter(({ kind }) => kind === "rule").map(claimOf);
  const gone = new Map<Claim, number>();
  for (const [index, claim] of claims.entries()) {
    const earlier = claims.slice(0, index).filter((one) => one.at < claim.at && !gone.has(one));
    const same = earlier.filter((one) => (claim.isRule || !one.isRule) && isSameClaim(one, claim));
    for (const one of same) gone.set(one, claim.at);
  }
  for (const { kind, text, at } of parts) {
    const released = kind === "turn" ? sentencesOf(text).filter(isRelease) : [];
    for (const claim of released.length === 0 ? [] : claims) {
      if (claim.at < at && !gone.has(claim) && released.some((one) => isTakenBack(claim, one)))
        gone.set(claim, at);
    }
  }
  return gone;
}

function claimOf({ text, at, state }: SummaryPart): Claim {
  return {
    at,
    text,
    ...equationOf(text),
    isRule: state !== "fact",
    words: subjectWords(text),
    values: valuesIn(text),
  };
}

/** Whether one statement contradicts another about the same subject. Without a value, one differing word is enough; prohibitions add up. */
function isSameClaim(one: Claim, other: Claim): boolean {
  if (one.subject !== undefined && one.subject === other.subject) return true;
  if (NEGATED.test(one.text) && NEGATED.test(other.text) && one.text !== other.text) return false;
  const both = [...one.words].filter((word) => other.words.has(word)).length;
  const share = both / Math.max(1, one.words.size + other.words.size - both);
  const hasValues = one.values.size > 0 || other.values.size > 0;
  if (hasValues)
    return share >= 0.8 && [...one.values.keys()].some((form) => other.values.has(form));
  return both > 0 && share >= 1 / 3;
}

const NEGATED =
  /(?<!\p{L})(?:never|not|don['’]?t|mustn['’]?t|nie(?:mals)?|nicht|kein\p{L}*|nunca|não|jamais|jamás|no|ne)(?!\p{L})|[不别勿]|しない|ない/iu;

function isTakenBack({ text, words }: Claim, release: string): boolean {
  const names = namesOf(text);
  const released = new Set(namesOf(release));
  if (names.length > 0) return names.some((name) => released.has(name));
  return overlapOf(words, subjectWords(release)) >= 0.5;
}

/** Whether an older sentence repeats a replaced statement: its value, for the same subject. */
function repeats(sentence: string, { values, words }: Claim): boolean {
  const own = valuesIn(sentence);
  const isValue = [...values].some(([form, value]) => own.get(form) === value);
  return isValue && [...subjectWords(sentence)].some((word) => words.has(word));
}

/** Subject words of a statement: stems without its values and common words. */
function subjectWords(text: string): ReadonlySet<string> {
  const bare = VALUES.reduce((left, [, form]) => left.replace(form, " "), text).toLowerCase();
  const words = [...wordsOf(bare.replace(/^[\p{L} ]{2,24}[:：]\s/u, ""))];
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 5)));
}

const COMMON: ReadonlySet<string> = new Set(
  "about also always anymore before below change changed correction current from have instead into just keep make more must never only over please rather should stay that their them then there this under until update when with without would want wants your immer jetzt nicht bitte nunca sempre agora".split(
    " ",
  ),
);

/** Forms of values: a later value of the same form replaces the earlier one. */
const VALUES: readonly (readonly [form: string, pattern: RegExp])[] = [
  [
    "money",
    /[$€£¥] ?\d[\d.,]*k?|\d[\d.,]* ?(?:dollars|euros?|usd|eur|€)|(?:\p{L}+[- ])?(?:hundred|thousand)(?: \p{L}+)? (?:dollars|euros|pounds)/giu,
  ],
  [
    "date",
    /\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}* \d{1,2}\b|\d{1,2}\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|m[aä]r|mai|okt|dez)\p{L}*/giu,
  ],
  [
    "zone",
    /\b(?:UTC|GMT|[CEMPJ][SE]?T|(?:Pacific|Eastern|Central|Mountain)(?: time)?|Zone\/\w+)\b/giu,
  ],
  ["branch", /(?<![\w:/.])[\w-]+(?:\/[\w-]+)+(?![\w/]|\.\w)/gu],
  ["code", /(?<![\w/-])(?=[\w-]*\d)[\p{L}][\p{L}\d]*(?:-[\p{L}\d]+)+/gu],
  ["person", /(?<=[\p{Ll},;:] |^)\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+(?! \p{Lu})/gu],
  ["number", /(?<![\w.-])\d[\d.,]*(?![\w-])/gu],
];

/** The values of a text by form. */
export function valuesIn(text: string): ReadonlyMap<string, string> {
  let left = text;
  const found = new Map<string, string>();
  for (const [form, pattern] of VALUES) {
    const all = left.match(pattern);
    if (all === null) continue;
    found.set(form, all.join(" ").toLowerCase());
    left = left.replace(pattern, " ");
  }
  return found;
}

// ---- equations ----

const EQUATES = String.raw`\s+(?:is|are|was|were|must be|should be|will be|has to be|have to be|is now|are now|changed to|is set to|set to|moved to|ist|sind|wird|muss|lautet|é|são|está|será|deve ser|fica|es|son|será|debe ser|est|sont|doit être)\s+|\s*(?:=|→|:=)\s*|[:：]\s+|：|是|为|改为|改成|は`;
const EQUATION = new RegExp(String.raw`^(.{2,70}?)(?:${EQUATES})(.{1,100})$`, "u");
const ARTICLES =
  /^(?:(?:the|a|an|our|my|your|now|and|but|also|so|update|from now on|ab jetzt|von nun an|a partir de (?:agora|ahora)|désormais|der|die|das|unser|unsere|mein|meine|o|os|as|nosso|nossa|el|la|los|las|nuestro|nuestra|le|les|notre)\s+){1,3}/i;
const PRONOUNS =
  /^(?:it|this|that|there|he|she|they|we|i|you|which|what|who|one|es|dies|das|er|sie|wir|ich|isto|isso|ele|ela|esto|eso|ce|cela|il|elle|这|那|它|他|她|我)$/i;

type Equation = Required<Pick<Claim, "subject" | "value">>;

function equationsIn(text: string): readonly Equation[] {
  return text.length > 4000 ? [] : sentencesOf(text).flatMap((one) => equationOf(one) ?? []);
}

/** Reads an equation by form: a short subject, an equating word or sign, a short value. */
function equationOf(sentence: string): Equation | undefined {
  if (sentence.length > 240 || /[?？]\s*$/.test(sentence)) return undefined;
  // "Correction: the port is 8080" is about the port, "Port: 8080" too.
  const [, head = "", rest = ""] = /^([\p{L} ]{2,24})[:：]\s*(\S.*)$/u.exec(sentence) ?? [];
  const inner = rest === "" ? undefined : equated(rest);
  return inner ?? (KINDS.test(head) ? undefined : equated(sentence));
}

/** Heads that name the kind of a statement, not its subject. */
const KINDS =
  /^(?:[\p{Lu} ]{2,}|facts?|notes?|rules?|update|correction|remember|important|hinweis|wichtig|achtung|merke|korrektur|nota|atenção|importante|atención|attention|correção|corrección|注意|重要|更正|备注)$/u;

function equated(sentence: string): Equation | undefined {
  const [, left = "", right = ""] = EQUATION.exec(sentence) ?? [];
  const subject = left
    .toLowerCase()
    .replace(/^.*(?<![\p{L}])(?:that|dass|que)\s+/u, "")
    .replace(/^.*[:：]\s*/u, "")
    .replace(ARTICLES, "")
    .replace(/[`"'*]/g, "");
  const value = (right.split(VALUE_END)[0] ?? "")
    .toLowerCase()
    .replace(/[`"'*.]/g, "")
    .replace(/ ?(?:\b(?:now|jetzt|nun|agora|ahora|maintenant)\b|现在|了$) ?/g, "");
  const isSubject =
    /\p{L}{3}|[\p{sc=Han}\p{sc=Hiragana}]{2}/u.test(subject) &&
    !PRONOUNS.test(subject) &&
    subject.split(" ").length <= 8;
  return isSubject && value !== "" && value.length <= 60 && value.split(" ").length <= 6
    ? { subject, value }
    : undefined;
}

const VALUE_END = /[,;.!。，；](?=\s|$)| \(|，|。| instead| not | statt | em vez| nicht /i;
