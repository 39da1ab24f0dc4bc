import { HistoryError, countOption, throwIfAborted } from "@agent-history/core";
import type { SummaryModel, SummaryRequest, TokenCounter } from "@agent-history/core";

import { countFrom, invalidOption, isCounterFailure } from "./checked.ts";

/** Options of a summary model. */
export interface ModelOptions {
  /** The model's context window, in tokens of the counter. Longer histories are read in pieces. From 1000; default 32,000. */
  readonly contextTokens?: number | undefined;
  /** Timeout of one answer in milliseconds, from 1; `Infinity` for none. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Most attempts of one request, from 1. Default 3. */
  readonly maxAttempts?: number | undefined;
  /** Wait after the first failure, in milliseconds; doubles with each further one. Default 1000. */
  readonly backoffMs?: number | undefined;
  /** Waits between attempts for this many milliseconds, or until the signal fires; never rejects. Default: a timer. `timeoutMs` has a timer of its own. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Timeout and retries of a model. */
export type ModelPolicy = {
  readonly [Name in keyof ModelOptions]-?: NonNullable<ModelOptions[Name]>;
};

/** Checks the options of a model and fills them in. */
export function modelPolicy(options: ModelOptions): ModelPolicy {
  const timeoutMs = countFrom(1, "timeoutMs", options.timeoutMs ?? 60_000);
  // Longer timers fire immediately.
  if (timeoutMs > LONGEST_TIMER_MS && timeoutMs !== Infinity)
    throw invalidOption("timeoutMs", `at most ${LONGEST_TIMER_MS}, or Infinity`);
  return {
    timeoutMs,
    contextTokens: countFrom(1000, "contextTokens", options.contextTokens ?? 32_000),
    maxAttempts: countFrom(1, "maxAttempts", options.maxAttempts ?? 3),
    backoffMs: countOption("backoffMs", options.backoffMs ?? 1000),
    sleep: options.sleep ?? wait,
  };
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A parsed answer, or the problem in words for the model. */
export type AnswerReading<Answer> = { readonly value: Answer } | { readonly problem: string };

/**
 * Calls a model until its answer is valid. Waits between failures, twice as long each time; after an invalid
 * answer, calls again immediately and says what was wrong.
 *
 * @param read - Parses an answer, or describes the problem.
 * @throws `HistoryError` with code `MODEL_FAILED` after the last attempt, `COUNTER_FAILED` where `read` meets that, `ABORTED` when the caller's signal fires.
 */
export async function askModel<Answer>(
  model: SummaryModel,
  request: SummaryRequest,
  policy: ModelPolicy,
  read: (answer: unknown) => AnswerReading<Answer>,
): Promise<Answer> {
  let problem: string | undefined;
  let cause: unknown;
  const { signal } = request;
  for (let attempt = 1; attempt <= policy.maxAttempts; attempt++) {
    throwIfAborted(signal);
    const told =
      problem === undefined
        ? ""
        : `\n\nYour last answer was refused: ${problem}. Answer again, as asked.`;
    try {
      const instructions = request.instructions + told;
      const result = read(await inTime(model, { ...request, instructions }, policy));
      if ("value" in result) return result.value;
      ({ problem } = result);
    } catch (error) {
      throwIfAborted(signal);
      if (isCounterFailure(error)) throw error;
      cause = error;
      if (attempt === policy.maxAttempts) break;
      const never = new AbortController().signal;
      await policy.sleep(policy.backoffMs * 2 ** (attempt - 1), signal ?? never);
    }
  }
  const what = cause === undefined ? `its answer was refused: ${problem ?? ""}` : "the call failed";
  throw new HistoryError(
    `The summary model gave no usable answer in ${policy.maxAttempts} attempts; ${what}.`,
    { code: "MODEL_FAILED", cause },
  );
}

/** Does not wait for a model that ignores its signal. */
function inTime(
  model: SummaryModel,
  request: SummaryRequest,
  { timeoutMs }: ModelPolicy,
): Promise<unknown> {
  const late = timeoutMs === Infinity ? [] : [AbortSignal.timeout(timeoutMs)];
  const signal = AbortSignal.any([...late, ...(request.signal ? [request.signal] : [])]);
  const answer = (async (): Promise<unknown> => model({ ...request, signal }))();
  return orAborted(answer, signal);
}

/** Waits by a timer; ends early, without an error, when the signal fires. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  const timer = new Promise<void>((resolve) => setTimeout(resolve, ms));
  await orAborted(timer, signal).catch(() => {});
}

/** Waits for work until the signal fires, even if the work ignores it. */
export function orAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      const message = "The compression was aborted. Nothing was changed.";
      reject(new HistoryError(message, { code: "ABORTED", cause: signal.reason }));
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const end = (): void => signal.removeEventListener("abort", stop);
    work.then(resolve, reject).finally(end);
  });
}

// ---- answers ----

/** Criteria for an answer. */
export interface AnswerCheck {
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
  /** The history that the model was shown; an answer that repeats it is invalid. */
  readonly shown?: string;
}

/** Describes the problem of an answer, for the model; `undefined` if it is valid. */
export function checkAnswer(answer: unknown, check: AnswerCheck): string | undefined {
  if (typeof answer !== "string")
    return `it was no text but ${answer === null ? "null" : typeof answer}`;
  const { maxTokens, counter, shown = "" } = check;
  const long = `it was longer than ${maxTokens} tokens`;
  if (isGiant(answer, maxTokens)) return long;
  const text = answer.trim();
  if (text === "") return "it was empty";
  if (REFUSAL.test(text.slice(0, 200))) return "it refused";
  if (ASKS.test(text.slice(0, 400))) return "it asked for the history, which is in the message";
  if (TOOL_CALL.test(text.slice(0, 400))) return "it called a tool";
  if (isEcho(text, shown)) return "it repeated the history";
  return counter.countText(text) > maxTokens ? long : undefined;
}

/** Returns whether a text is certainly over its cap: no token has this many characters. */
export function isGiant(text: string, maxTokens: number): boolean {
  return text.length > 40 * maxTokens;
}

const REFUSAL =
  /^(?:(?:i['’]?m|i am|we are|we['’]re) (?:very |so |truly )?(?:sorry|unable|not able)|sorry[,.!]|my apologies|i apologi[sz]e|(?:unfortunately, )?(?:i|we) (?:can(?:no|['’])t|cannot|can not|won['’]t|will not|must decline)|as an ai\b|(?:申し訳|すみません|抱歉|对不起|无法))/i;

/** Requests the history that it was given. */
const ASKS =
  /^(?:[^\n.!?]{0,60}[.!?]\s+)?(?:please|could you(?: please)?|can you(?: please)?|bitte|por favor|s['’]il vous pla[iî]t)[^\n]{0,30} (?:provide|share|send|paste|give|upload|teilen|senden|geben|envie|forneça|compartilhe|proporcione|comparta|fournir|partager)|^(?:it (?:looks|seems) like|i (?:don['’]t|do not) (?:see|have)|there (?:is|are) no) [^\n]{0,60}(?:conversation|history|transcript|messages?|text)|^(?:what|which|how) [^\n?]{0,120}(?:would you like|can i help|do you want)[^\n?]{0,80}\?|^(?:请|麻烦)(?:您)?(?:提供|分享|发送)/i;

/** A call of a tool, as text. */
const TOOL_CALL =
  /^(?:```\w{0,12}\n)?(?:<(?:tool_call|function_calls?|tool_use|invoke|antml:)|\[TOOL_CALLS?\]|\{\s*"(?:tool_calls?|function_call|tool|name|action)"\s*:\s*(?:"[\w.-]+"\s*,\s*"(?:arguments|parameters|input|args|action_input)"|\[|\{))/i;

/** Repeats a frame of the request, or is only a long excerpt of the history. */
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
