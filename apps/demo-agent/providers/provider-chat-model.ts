import { setTimeout } from "node:timers/promises";

import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { ChatModel, ModelReply, ModelRequest } from "@agent-history/offline-model";
import type { LanguageModel } from "ai";

import { describeFailure } from "./describe-failure.ts";
import type { ModelFailure } from "./describe-failure.ts";
import { incomplete } from "./incomplete-reply.ts";
import type { ModelSettings } from "./model-settings.ts";
import { streamReply } from "./stream-reply.ts";
import type { ServerHabits } from "./stream-reply.ts";

/** How failed tries are made good. */
export interface RetryOptions {
  /** How often a call is tried in all. Default 4. */
  readonly maxAttempts?: number;
  /** The pause after the first try; each later one is twice as long. Default 1000. */
  readonly firstDelayMs?: number;
  /** Pauses. Default: by a timer. */
  readonly wait?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  /** From 0 to 1; keeps workers side by side from trying again at one moment. Default: Math.random. */
  readonly random?: () => number;
  /** The present, for a server that names the time to try again. Default: Date.now. */
  readonly now?: () => number;
}

/** The longest pause that anybody is made to wait. */
const MAX_DELAY_MS = 60_000;

/**
 * Makes a {@link ChatModel} of a model of the AI SDK: it streams, waits and tries again where that helps, and stops when its signal fires.
 *
 * Rejects with a `HistoryError` whose message is one line without a key and without words of the conversation: `ABORTED` when the signal
 * fired, `MODEL_FAILED` otherwise; `details.reason` says why.
 */
export function providerChatModel(
  model: LanguageModel,
  settings: ModelSettings,
  options: RetryOptions = {},
): ChatModel {
  const { maxAttempts = 4, wait = pause, now = Date.now } = options;
  const server: ServerHabits = { isUnstreamed: false };
  return async (request) => {
    const { signal, onEvent } = request;
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptReply(request, { model, settings, now, server });
      if ("reply" in outcome) return outcome.reply;
      const { failure } = outcome;
      throwIfAborted(signal);
      const delayMs = delayAfter(attempt, failure, options);
      if (!failure.isRetryable || attempt >= maxAttempts || delayMs > MAX_DELAY_MS)
        throw modelFailed(failure, attempt);
      onEvent?.({ type: "retry", attempt, delayMs, reason: failure.what });
      // Where the signal fires, the next try finds it.
      await wait(delayMs, signal).catch(() => undefined);
    }
  };
}

type Outcome = { readonly reply: ModelReply } | { readonly failure: ModelFailure };

async function attemptReply(
  request: ModelRequest,
  location: {
    readonly model: LanguageModel;
    readonly settings: ModelSettings;
    readonly now: () => number;
    readonly server: ServerHabits;
  },
): Promise<Outcome> {
  const { model, settings, now, server } = location;
  throwIfAborted(request.signal);
  try {
    const reply = await streamReply(request, { model, silenceMs: settings.silenceMs, server });
    if (reply.text?.trim() || reply.toolCalls !== undefined) return { reply };
    throw incomplete("empty");
  } catch (error) {
    return { failure: describeFailure(error, settings, now()) };
  }
}

function delayAfter(
  attempt: number,
  { retryAfterMs }: ModelFailure,
  { firstDelayMs = 1000, random = Math.random }: RetryOptions,
): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  const delayMs = firstDelayMs * 2 ** (attempt - 1);
  return Math.round(delayMs * (0.5 + random() / 2));
}

function modelFailed(failure: ModelFailure, attempts: number): HistoryError {
  const { what, advice, reason, status } = failure;
  const tries = attempts > 1 ? `, also at try ${attempts}` : "";
  return new HistoryError(`${what}${tries}. ${advice}`, {
    code: "MODEL_FAILED",
    details: { reason, attempts, ...(status !== undefined && { status }) },
  });
}

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(delayMs, undefined, signal && { signal });
}
