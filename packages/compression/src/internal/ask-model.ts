import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { SummaryModel, SummaryRequest } from "@agent-history/core";

import { isCounterFailure } from "./checked-counter.ts";
import { orAborted } from "./or-aborted.ts";

/** How long a model may take, and how often it is asked. */
export interface ModelPolicy {
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly backoffMs: number;
  /** Waits between attempts; ends early, without an error, when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What an answer says, or what is wrong with it, in words for the model. */
export type AnswerReading<Answer> = { readonly value: Answer } | { readonly problem: string };

/**
 * Asks a model until its answer will do: waits between failures, twice as long each time; tells it what was wrong with an
 * answer and asks again at once.
 *
 * @param read - Gives what an answer says, or what is wrong with it.
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
  for (let attempt = 1; attempt <= policy.maxAttempts; attempt++) {
    throwIfAborted(request.signal);
    try {
      const result = read(await withTimeout(model, withProblem(request, problem), policy));
      if ("value" in result) return result.value;
      ({ problem } = result);
    } catch (error) {
      throwIfAborted(request.signal);
      if (isCounterFailure(error)) throw error;
      cause = error;
      if (attempt === policy.maxAttempts) break;
      const never = new AbortController().signal;
      await policy.sleep(policy.backoffMs * 2 ** (attempt - 1), request.signal ?? never);
    }
  }
  const what = cause === undefined ? `its answer was refused: ${problem ?? ""}` : "the call failed";
  throw new HistoryError(
    `Expected a usable answer of the summary model within ${policy.maxAttempts} attempts; ${what}.`,
    { code: "MODEL_FAILED", cause },
  );
}

function withProblem(request: SummaryRequest, problem: string | undefined): SummaryRequest {
  if (problem === undefined) return request;
  const note = `Your last answer was refused: ${problem}. Answer again, as asked.`;
  return { ...request, instructions: `${request.instructions}\n\n${note}` };
}

/** A model that does not listen to its signal is not waited for. */
async function withTimeout(
  model: SummaryModel,
  request: SummaryRequest,
  { timeoutMs }: ModelPolicy,
): Promise<unknown> {
  const work = new AbortController();
  const { signal } = request;
  const late = async (): Promise<never> => {
    await wait(timeoutMs, work.signal);
    throw new HistoryError(`Expected the summary model to answer within ${timeoutMs} ms.`, {
      code: "MODEL_FAILED",
    });
  };
  const signals = signal === undefined ? [work.signal] : [work.signal, signal];
  try {
    const answer = (async () => model({ ...request, signal: AbortSignal.any(signals) }))();
    const inTime = timeoutMs === Infinity ? answer : Promise.race([answer, late()]);
    return await orAborted(inTime, signal);
  } finally {
    work.abort();
  }
}

/** Waits by a timer; ends early, without an error, when the signal fires. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
