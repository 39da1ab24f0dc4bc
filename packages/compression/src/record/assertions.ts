import { oneLine, sentencesOf } from "./text.ts";

/** A sentence that gives a thing a value: "The region is eu-west-3", "Deadline: 14 March". */
export interface Assertion {
  /** In lower case, without articles. */
  readonly subject: string;
  readonly value: string;
}

/** The assertions of a text, by their form: a short subject, a word or sign that equates, a short value. */
export function assertionsIn(text: string): readonly (Assertion & { readonly sentence: string })[] {
  if (text.length > 4000) return [];
  return sentencesOf(text).flatMap((sentence) => {
    const assertion = assertionOf(sentence);
    return assertion === undefined ? [] : [{ ...assertion, sentence }];
  });
}

function assertionOf(sentence: string): Assertion | undefined {
  if (sentence.length > 240 || /[?？]\s*$/.test(sentence)) return undefined;
  // "Correction: the port is 8080" is about the port.
  const labelled = /^[\p{L} ]{2,24}[:：]\s*(\S.*)$/u.exec(sentence)?.[1];
  const inner = labelled === undefined ? undefined : equated(labelled);
  return inner ?? equated(sentence);
}

const EQUATES = String.raw`\s+(?:is|are|was|were|must be|should be|will be|has to be|have to be|is now|are now|changed to|is set to|set to|moved to|ist|sind|wird|muss|lautet|é|são|está|será|deve ser|fica|es|son|será|debe ser|est|sont|doit être)\s+|\s*(?:=|→|:=)\s*|[:：]\s+|：|是|为|改为|改成|は`;
const EQUATION = new RegExp(String.raw`^(.{2,70}?)(?:${EQUATES})(.{1,100})$`, "u");
const ARTICLES =
  /^(?:(?:the|a|an|our|my|your|now|and|but|also|so|update|der|die|das|unser|unsere|mein|meine|o|os|as|nosso|nossa|el|la|los|las|nuestro|nuestra|le|les|notre)\s+){1,3}/i;
const PRONOUNS =
  /^(?:it|this|that|there|he|she|they|we|i|you|which|what|who|one|es|dies|das|er|sie|wir|ich|isto|isso|ele|ela|esto|eso|ce|cela|il|elle|这|那|它|他|她|我)$/i;

function equated(sentence: string): Assertion | undefined {
  const found = EQUATION.exec(sentence);
  if (found === null) return undefined;
  const subject = oneLine(found[1] ?? "")
    .toLowerCase()
    .replace(/^.*(?<![\p{L}])(?:that|dass|que)\s+/u, "")
    .replace(/^.*[:：]\s*/u, "")
    .replace(
      /^(?:from now on|ab jetzt|von nun an|a partir de (?:agora|ahora)|désormais|从现在起),? */u,
      "",
    )
    .replace(ARTICLES, "")
    .replace(/[`"'*]/g, "");
  const value =
    (found[2] ?? "").split(
      /[,;.!。，；](?=\s|$)| \(|，|。| instead| not | statt | em vez| nicht /i,
    )[0] ?? "";
  const words = oneLine(value)
    .toLowerCase()
    .replace(/[`"'*.]/g, "")
    .replace(/ ?(?:\b(?:now|jetzt|nun|agora|ahora|maintenant)\b|现在|了$) ?/g, "");
  const isSubject =
    /\p{L}{3}|[\p{sc=Han}\p{sc=Hiragana}]{2}/u.test(subject) &&
    !PRONOUNS.test(subject) &&
    subject.split(" ").length <= 8;
  return isSubject && words !== "" && words.length <= 60 && words.split(" ").length <= 6
    ? { subject, value: words }
    : undefined;
}
