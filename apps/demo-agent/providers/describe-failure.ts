import { APICallError } from "ai";

import { describeNetworkError } from "./describe-network-error.ts";
import { describeStatus } from "./describe-status.ts";
import { isIncomplete } from "./incomplete-reply.ts";
import type { Incompleteness } from "./incomplete-reply.ts";
import { PROTOCOLS } from "./model-settings.ts";
import type { ModelSettings } from "./model-settings.ts";
import { retryAfter } from "./retry-after.ts";

/** Why a call of a model failed. */
export interface ModelFailure {
  /** For code: what kind of failure it is. */
  readonly reason: FailureReason;
  /** What happened: one line without its full stop, no key in it and no words of the conversation. */
  readonly what: string;
  /** What can be done about it. */
  readonly advice: string;
  /** Whether the same call may yet succeed. */
  readonly isRetryable: boolean;
  /** How long the server wants to be left alone. */
  readonly retryAfterMs?: number;
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
}

/** The kinds of failure of a call. */
export type FailureReason =
  | "key"
  | "model"
  | "request"
  | "too-long"
  | "rate-limit"
  | "quota"
  | "server"
  | "redirected"
  | "refused"
  | "unknown-host"
  | "certificate"
  | "unreachable"
  | "not-a-model"
  | Incompleteness;

/** Where a server stands and by which variables it was named. */
export interface ServerNames {
  readonly host: string;
  readonly modelId: string;
  readonly keyName: string;
  readonly urlName: string;
  readonly isOwnServer: boolean;
}

/** Says in one line why a call failed. What a server wrote is not quoted: it may hold a key or words of the conversation. */
export function describeFailure(
  error: unknown,
  settings: ModelSettings,
  nowMs: number,
): ModelFailure {
  const names = namesOf(settings);
  if (isIncomplete(error)) return describeIncomplete(error.incompleteness, names, settings);
  const network = describeNetworkError(error, names);
  if (network !== undefined) return network;
  if (APICallError.isInstance(error) && error.statusCode !== undefined) {
    const { statusCode, responseBody = "", responseHeaders = {} } = error;
    const retryAfterMs = retryAfter(responseHeaders, nowMs);
    return {
      ...describeStatus(statusCode, responseBody, names),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
  return describeStreamError(error, names);
}

function namesOf({ protocol, modelId, url, isOwnServer }: ModelSettings): ServerNames {
  const { keyName, urlName } = PROTOCOLS[protocol];
  return { host: new URL(url).host, modelId, keyName, urlName, isOwnServer };
}

function describeIncomplete(
  reason: Incompleteness,
  { host, modelId, urlName, isOwnServer }: ServerNames,
  { silenceMs }: ModelSettings,
): ModelFailure {
  const again = "Ask again, or another model by AGENT_HISTORY_MODEL.";
  const kinds: Record<Incompleteness, Pick<ModelFailure, "what" | "advice" | "isRetryable">> = {
    broken: {
      what: `The answer of ${modelId} at ${host} broke off`,
      advice: isOwnServer ? `See what the server of ${urlName} says, and ask again.` : again,
      isRetryable: true,
    },
    silent: {
      what: `${modelId} at ${host} was silent for ${silenceMs / 1000} s`,
      advice: "Ask again, or allow it more by AGENT_HISTORY_TIMEOUT_SECONDS.",
      isRetryable: true,
    },
    cut: {
      what: `The answer of ${modelId} was cut at the most tokens it may write`,
      advice: "Ask for less, or another model by AGENT_HISTORY_MODEL.",
      isRetryable: false,
    },
    withheld: {
      what: `${host} withheld the answer of ${modelId}`,
      advice: "Ask in other words, or another model by AGENT_HISTORY_MODEL.",
      isRetryable: false,
    },
    empty: {
      what: `The answer of ${modelId} at ${host} was empty`,
      advice: again,
      isRetryable: true,
    },
  };
  return { reason, ...kinds[reason] };
}

/** An error that came within a stream, in the form of its provider, and what the SDK could not read. */
function describeStreamError(error: unknown, names: ServerNames): ModelFailure {
  const text = error instanceof Error ? error.message : JSON.stringify(error ?? "");
  if (/rate_limit/.test(text)) return describeStatus(429, text, names);
  if (/context_length|prompt is too long/.test(text)) return describeStatus(413, text, names);
  return {
    reason: "broken",
    what: `The answer of ${names.modelId} at ${names.host} broke off`,
    advice: "Ask again, or another model by AGENT_HISTORY_MODEL.",
    isRetryable: true,
  };
}
