import type { TokenCounter } from "@agent-history/core";

/** What an answer is measured by. */
export interface AnswerCheck {
  /** The most tokens it may have. Default: any number. */
  readonly maxTokens?: number;
  readonly counter?: Pick<TokenCounter, "countText">;
  /** The history that the model was shown: an answer that repeats it is none. */
  readonly shown?: string;
}

/** Says what is wrong with an answer, in words for the model; nothing where it will do. */
export function checkAnswer(answer: unknown, check: AnswerCheck = {}): string | undefined {
  if (typeof answer !== "string") return `it was no text but ${typeOf(answer)}`;
  const { maxTokens = MOST_TOKENS, counter } = check;
  if (isGiant(answer, maxTokens)) return `it was longer than ${maxTokens} tokens`;
  const text = answer.trim();
  if (text === "") return "it was empty";
  if (REFUSAL.test(text.slice(0, 200))) return "it refused";
  if (ASKS.test(text.slice(0, 400))) return "it asked for the history, which is in the message";
  if (TOOL_CALL.test(text.slice(0, 400))) return "it called a tool";
  if (isEcho(text, check.shown ?? "")) return "it repeated the history";
  if (counter !== undefined && counter.countText(text) > maxTokens)
    return `it was longer than ${maxTokens} tokens`;
  return undefined;
}

/** No summary has as many. */
const MOST_TOKENS = 100_000;

/** Returns whether a text is so much longer than its cap that it is not worth looking at: no token has this many characters. */
export function isGiant(text: string, maxTokens: number): boolean {
  return text.length > 40 * maxTokens;
}

function typeOf(answer: unknown): string {
  return answer === null ? "null" : typeof answer;
}

const REFUSAL =
  /^(?:(?:i['’]?m|i am|we are|we['’]re) (?:very |so |truly )?(?:sorry|unable|not able)|sorry[,.!]|my apologies|i apologi[sz]e|(?:unfortunately, )?(?:i|we) (?:can(?:no|['’])t|cannot|can not|won['’]t|will not|must decline)|as an ai\b|(?:申し訳|すみません|抱歉|对不起|无法))/i;

/** Asks for what it was given. */
const ASKS =
  /^(?:[^\n.!?]{0,60}[.!?]\s+)?(?:please|could you(?: please)?|can you(?: please)?|bitte|por favor|s['’]il vous pla[iî]t)[^\n]{0,30} (?:provide|share|send|paste|give|upload|teilen|senden|geben|envie|forneça|compartilhe|proporcione|comparta|fournir|partager)|^(?:it (?:looks|seems) like|i (?:don['’]t|do not) (?:see|have)|there (?:is|are) no) [^\n]{0,60}(?:conversation|history|transcript|messages?|text)|^(?:what|which|how) [^\n?]{0,120}(?:would you like|can i help|do you want)[^\n?]{0,80}\?|^(?:请|麻烦)(?:您)?(?:提供|分享|发送)/i;

/** A call of a tool, as text. */
const TOOL_CALL =
  /^(?:```\w{0,12}\n)?(?:<(?:tool_call|function_calls?|tool_use|invoke|antml:)|\[TOOL_CALLS?\]|\{\s*"(?:tool_calls?|function_call|tool|name|action)"\s*:\s*(?:"[\w.-]+"\s*,\s*"(?:arguments|parameters|input|args|action_input)"|\[|\{))/i;

/** A frame of the request, or a long stretch of what was shown and nothing else. */
function isEcho(text: string, shown: string): boolean {
  if (FRAME.test(text)) return true;
  const flat = flatten(text);
  return flat.length >= 160 && flatten(shown).includes(flat);
}

const FRAME = /^<(?:history|earlier_summary)>|\n<\/(?:history|earlier_summary)>|^\{"n":\d+,"from":/;

function flatten(text: string): string {
  return text
    .replace(/\\[nrt]|\\(?=["\\])|[\s{}"]+/g, " ")
    .replace(/ +/g, " ")
    .trim();
}
