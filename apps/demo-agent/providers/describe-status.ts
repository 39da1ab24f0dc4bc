import type { ModelFailure, ServerNames } from "./describe-failure.ts";

const OFFLINE = "or ask the offline model by AGENT_HISTORY_MODEL=offline.";

/** Says what an HTTP status means for a call of a model. The body is looked at for codes, and never quoted. */
export function describeStatus(status: number, body: string, names: ServerNames): ModelFailure {
  return { status, ...(describeKnown(status, body, names) ?? describeOther(status, names)) };
}

function describeKnown(
  status: number,
  body: string,
  { host, modelId, keyName, urlName, isOwnServer }: ServerNames,
): Omit<ModelFailure, "status"> | undefined {
  if (status === 401 || status === 403) {
    return {
      reason: "key",
      what: `${host} does not take the key of ${keyName} for ${modelId} (${status})`,
      advice: `Set ${keyName} to a valid one, ${OFFLINE}`,
      isRetryable: false,
    };
  }
  if (status === 404 || /model_not_found|not_found_error/.test(body)) {
    const url = isOwnServer ? `, and see whether ${urlName} is right (most end in /v1)` : "";
    return {
      reason: "model",
      what: `${host} knows no model ${modelId} (${status})`,
      advice: `Set AGENT_HISTORY_MODEL to one that it has${url}.`,
      isRetryable: false,
    };
  }
  if (status === 413 || /context_length|context window|prompt is too long/i.test(body)) {
    return {
      reason: "too-long",
      what: `The prompt is longer than ${modelId} at ${host} takes (${status})`,
      advice: "Give a smaller window, or a model with a larger one by AGENT_HISTORY_MODEL.",
      isRetryable: false,
    };
  }
  return status === 429 ? describeTooMany(body, host, keyName) : undefined;
}

function describeTooMany(
  body: string,
  host: string,
  keyName: string,
): Omit<ModelFailure, "status"> {
  if (/insufficient_quota|billing|credit balance/.test(body)) {
    return {
      reason: "quota",
      what: `The key of ${keyName} has nothing left to spend at ${host} (429)`,
      advice: `See its billing page, ${OFFLINE}`,
      isRetryable: false,
    };
  }
  return {
    reason: "rate-limit",
    what: `${host} wants fewer calls (429)`,
    advice: "Wait a minute and ask again, or ask another model by AGENT_HISTORY_MODEL.",
    isRetryable: true,
  };
}

function describeOther(
  status: number,
  { host, modelId, urlName, isOwnServer }: ServerNames,
): Omit<ModelFailure, "status"> {
  if (status >= 500 || status === 408 || status === 409) {
    return {
      reason: "server",
      what: `${host} failed (${status})`,
      advice: "Ask again later, or another model by AGENT_HISTORY_MODEL.",
      isRetryable: true,
    };
  }
  if (status >= 300 && status < 400) {
    return {
      reason: "redirected",
      what: `${host} sends the call elsewhere (${status}), where no key is taken`,
      advice: `Set ${urlName} to the address where it answers.`,
      isRetryable: false,
    };
  }
  if (status < 300) {
    return {
      reason: "not-a-model",
      what: `${host} answered with what is no answer of a model (${status})`,
      advice: isOwnServer
        ? `See whether ${urlName} is right (most end in /v1).`
        : "Ask again later.",
      isRetryable: false,
    };
  }
  return {
    reason: "request",
    what: `${host} refuses the call of ${modelId} (${status})`,
    advice: "Ask another model by AGENT_HISTORY_MODEL.",
    isRetryable: false,
  };
}
