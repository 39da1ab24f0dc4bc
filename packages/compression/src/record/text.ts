/** Most characters that are read of one message or result; longer ones are cut in the middle. */
const MOST_READ = 24_000;

/** Removes terminal escape codes and invisible characters, and normalizes line separators. Reads at most `MOST_READ`. */
export function cleanText(text: string): string {
  return limit(text).replace(ESCAPE_CODE, "").replace(LINE_END, "\n").replace(UNSEEN, "");
}

function limit(text: string): string {
  if (text.length <= MOST_READ) return text;
  return `${text.slice(0, (MOST_READ * 2) / 3)}\n[…]\n${text.slice(-MOST_READ / 3)}`;
}

const ESCAPE_CODE = new RegExp(String.raw`\u001B\[[0-9;?]{0,20}[A-Za-z]`, "g");
const LINE_END = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
/** Joiners stay within scripts and emoji that need them; half a pair of surrogates does not. */
const UNSEEN =
  /(?!\p{Join_Control}|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}|(?<=[ -~])(?:\p{Join_Control}|\p{Variation_Selector})+(?=[ -~])|(?![\t\n])[\p{Cc}\p{Cs}]/gu;

/** Puts a text on one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Shortens a text to one line of at most this many characters, at a word end if one is near. */
export function clip(text: string, most: number): string {
  const line = oneLine(text);
  if (line.length <= most) return line;
  const head = wholeCharacters(line.slice(0, Math.max(1, most - 2)));
  return `${head.replace(/\s+\S{0,30}$/, "")} …`;
}

/** Shortens a text in the middle, at line ends if near: keeps two thirds from the beginning, one third from the end. */
export function cutMiddle(text: string, most: number): string {
  const whole = text.trim();
  if (whole.length <= most) return whole;
  const head = wholeCharacters(whole.slice(0, (most * 2) / 3));
  const tail = whole.slice(-Math.max(1, Math.floor(most / 3))).replace(/^[\uDC00-\uDFFF]/, "");
  const [end, start] = [head.lastIndexOf("\n"), tail.indexOf("\n")];
  const first = end > most / 3 ? head.slice(0, end) : withoutLastWord(head);
  const last = start >= 0 && start < most / 6 ? tail.slice(start) : withoutFirstWord(tail);
  return `${first.trimEnd()}\n[…]\n${last.trim()}`;
}

/** The same on one line. */
export function clipMiddle(text: string, most: number): string {
  return oneLine(cutMiddle(oneLine(text), most).replace("[…]", "…"));
}

function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}

/** Scripts without spaces have no word ends. */
function withoutLastWord(text: string): string {
  return text.replace(/\s\S{1,40}$/, " ");
}

function withoutFirstWord(text: string): string {
  return text.replace(/^\S{1,40}\s/, "");
}

/** Removes the marks of Markdown. Blocks of code up to `mostCode` characters stay. */
export function plainText(text: string, mostCode = 0): string {
  return text
    .replace(/```[^\n`]{0,40}\n?([\s\S]*?)(?:```|$)/g, (_all, code: string) =>
      code.length < mostCode ? `\n${code}\n` : "\n",
    )
    .replaceAll("**", "")
    .replace(/^::[\w-]{1,40}\{.*\}\s*$/gm, "")
    .replace(/^#{1,6}[ \t]+(.*)$/gm, (_all, title: string) => `${title.trim().replace(/:$/, "")}:`)
    .replace(/\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)/g, "$1");
}

/** The sentences of a text without its code. "Changed:" and the list below it are one sentence, up to 300 characters. */
export function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = [];
  let isListOpen = false;
  for (const raw of plainText(text).split("\n")) {
    const isItem = /^\s*(?:[-*•]|\d{1,3}[.)])\s/.test(raw);
    const line = raw
      .trim()
      .replace(/^[-*•]\s+/, "")
      .replace(/^\||\|$/g, "")
      .trim();
    if (line === "" || /^[-:| =]+$/.test(line)) continue;
    const last = sentences.at(-1) ?? "";
    if (isItem && isListOpen && last.length + line.length < LONGEST_LIST) {
      const joined = last.endsWith(":") ? `${last} ${oneLine(line)}` : `${last}; ${oneLine(line)}`;
      sentences[sentences.length - 1] = joined;
      continue;
    }
    for (const part of line.split(SENTENCE_END))
      if (part.trim() !== "") sentences.push(oneLine(part));
    isListOpen = line.endsWith(":");
  }
  return sentences.filter((sentence) => isSentence(sentence));
}

const LONGEST_LIST = 300;
const SENTENCE_END = /(?<=[.!?])\s+(?=[\p{Lu}\p{Lo}`"“„«(¿¡])|(?<=[。！？])/u;

function isSentence(text: string): boolean {
  // A JSON field is not a sentence.
  if (/^["'][^"']{1,60}["']\s*:|\{\\?"/.test(text)) return false;
  const isDense = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{4}/u.test(text);
  return isDense || (text.length > 10 && /\p{L}{3}/u.test(text));
}

/** Distinctive words of a text: from four letters, names, numbers; character pairs in scripts without spaces. */
export function wordsOf(text: string): ReadonlySet<string> {
  const lower = text.toLowerCase();
  const words = lower.match(/[\p{L}_][\p{L}\p{N}_./-]{3,}|\p{N}[\p{N}.,:/-]*/gu) ?? [];
  const dense = lower.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{2,}/gu) ?? [];
  const pairs = dense.flatMap((run) =>
    Array.from({ length: Math.min(200, run.length - 1) }, (_, at) => run.slice(at, at + 2)),
  );
  return new Set([...words.map((word) => word.replace(/[.,:/-]+$/, "")), ...pairs]);
}

/** Overlap: the share of the smaller set that is in the other one. */
export function overlapOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  if (small.size === 0) return 0;
  let both = 0;
  for (const word of small) if (large.has(word)) both += 1;
  return both / small.size;
}

/** Words that identify one thing: paths, identifiers, codes, numbers. */
export function namesOf(text: string): readonly string[] {
  const words = text.match(/[\p{L}\p{N}_@#$./-]{2,}/gu) ?? [];
  return words
    .map((word) => word.replace(/^[.\-/]+|[.\-/]+$/g, ""))
    .filter((word) => /\d|_|[a-z][A-Z]|[\p{L}\d][./@][\p{L}\d]|\p{Lu}{2}/u.test(word));
}

// ---- quoted as data ----

/** Speaker labels at the beginning of a line. Quotes must not look as if somebody else spoke. */
const SPEAKERS =
  "User|Agent|Task|Tool|System|Assistant|Human|Developer|Commands? run|Files changed";
const LABEL = new RegExp(String.raw`(?<![\p{L}\p{N}_])((?:${SPEAKERS})\s{0,3})[:：﹕]`, "gu");
const FIRST_LABEL = new RegExp(
  String.raw`^([^\p{L}\p{N}]{0,8}(?:${SPEAKERS})\s{0,3})[:：﹕]`,
  "gimu",
);

/** Quotes a text as data on one line: no line of its own, no label of a speaker, no heading (L14). */
export function quoteLine(text: string): string {
  return withoutLabels(oneLine(cleanText(text)).replace(/^#{1,6} /, ""));
}

/** Quotes a text as data with its lines, indented deeper than any line of a summary. */
export function quoteLines(text: string): string {
  const lines = cleanText(text)
    .split("\n")
    .map((line) => withoutLabels(line.trimEnd().replace(/^\s*#{1,6}\s+/, "")));
  return lines
    .filter((line, index) => line !== "" || lines[index - 1] !== "")
    .map((line, index) => (index === 0 ? line.trimStart() : `  ${line}`))
    .join("\n");
}

function withoutLabels(text: string): string {
  return text.replace(FIRST_LABEL, "$1&#58;").replace(LABEL, "$1&#58;");
}
