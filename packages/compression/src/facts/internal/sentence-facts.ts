import type { FactKind } from "../fact.ts";
import type { ReadableText } from "./readable-texts.ts";
import { LONGEST_SENTENCE, splitSentences } from "./split-sentences.ts";

/** A whole sentence or line that is a fact, and where it begins. */
export interface SentenceFact {
  readonly kind: FactKind;
  readonly text: string;
  readonly start: number;
}

const DECISION =
  /\b(?:decided?|decision|agreed?|approved?|chosen?|confirm(?:ed)?|instead of|let['’]?s (?:go|use|do)|go (?:ahead|with)|please (?:proceed|use|do)|must(?: not)?|never|always|do not|don['’]t|prefer(?:red)?|we(?:['’]ll| will) (?:use|go|do|keep|take))\b|決め|決定|採用|承認|してください|禁止|必ず/iu;
const ERROR =
  /\b(?:[A-Z]\w{0,40}(?:Error|Exception)|error|exception|traceback|failed|failure|fatal|panic|denied|refused|timed out|not found|no such file|cannot|invalid)\b|エラー|失敗|例外/iu;
const COMMAND_KEYS =
  /"(?:command|cmd|script|shell|bash)"\s{0,4}:\s{0,4}"((?:[^"\\]|\\.){1,300})"/gu;
const SHELLS = /bash|shell|terminal|exec|command/i;

/** What of a text is a fact as a whole: by its words, and by where it stands. */
export function sentenceFacts(readable: ReadableText): readonly SentenceFact[] {
  switch (readable.origin) {
    case "user":
    case "assistant":
      return spoken(readable.text);
    case "arguments":
      return commands(readable);
    case "result":
      return failures(readable.text);
    case "name":
      return [];
  }
}

function spoken(text: string): readonly SentenceFact[] {
  return splitSentences(text).flatMap(({ text: sentence, start }): readonly SentenceFact[] => {
    if (sentence.length > LONGEST_SENTENCE || sentence.length < 4) return [];
    if (/^\$ \S/.test(sentence)) return [{ kind: "command", text: sentence, start }];
    if (/[?？]["'”’)」』]?$/.test(sentence.slice(-2)))
      return [{ kind: "question", text: sentence, start }];
    return DECISION.test(sentence) ? [{ kind: "decision", text: sentence, start }] : [];
  });
}

/** A call that failed says so in one of its lines; JSON and source code say `error` for other reasons. */
function failures(text: string): readonly SentenceFact[] {
  if (/^\s*[[{]/.test(text)) return [];
  if (!ERROR.test(text)) return [];
  return splitSentences(text, ERROR).flatMap(({ text: line, start }): readonly SentenceFact[] =>
    line.length <= LONGEST_SENTENCE / 2 && ERROR.test(line)
      ? [{ kind: "error", text: line, start }]
      : [],
  );
}

function commands({ text, toolName = "" }: ReadableText): readonly SentenceFact[] {
  const found = [...text.matchAll(COMMAND_KEYS)].flatMap(({ 0: whole, 1: command = "", index }) =>
    command.includes("\\n") || command.trim() === ""
      ? []
      : [{ kind: "command" as const, text: command, start: index + whole.indexOf(command) }],
  );
  const line = text.trim();
  const isBare = found.length === 0 && !/^[[{]/.test(line) && SHELLS.test(toolName);
  if (!isBare || line.length > LONGEST_SENTENCE || line === "" || /\p{Cc}/u.test(line))
    return found;
  return [{ kind: "command", text: line, start: text.indexOf(line) }];
}
