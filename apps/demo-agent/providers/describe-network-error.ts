import type { ModelFailure, ServerNames } from "./describe-failure.ts";

/** How deep an error may be wrapped. */
const MAX_CAUSES = 8;

/** Says why a server was not reached; nothing where it was. */
export function describeNetworkError(error: unknown, names: ServerNames): ModelFailure | undefined {
  const code = causesOf(error).map(codeOf).find(isKnown) ?? "";
  const { host, urlName, isOwnServer } = names;
  const url = isOwnServer ? ` or correct ${urlName}` : "";
  if (code === "ECONNREFUSED") {
    return {
      reason: "refused",
      what: `Nothing answers at ${host} (connection refused)`,
      advice: `Start the server${url}, or set AGENT_HISTORY_MODEL=offline.`,
      isRetryable: false,
    };
  }
  if (code === "ENOTFOUND") {
    return {
      reason: "unknown-host",
      what: `There is no host ${host} (${code})`,
      advice: `See whether you are connected${url}, or set AGENT_HISTORY_MODEL=offline.`,
      isRetryable: false,
    };
  }
  if (CERTIFICATE.test(code)) {
    return {
      reason: "certificate",
      what: `The certificate of ${host} is not trusted (${code})`,
      advice: `Name its authority by NODE_EXTRA_CA_CERTS${url}.`,
      isRetryable: false,
    };
  }
  if (code === "") return undefined;
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET") {
    return {
      reason: "broken",
      what: `The connection to ${host} broke off (${code})`,
      advice: `See whether the server is well${url}, and ask again.`,
      isRetryable: true,
    };
  }
  return {
    reason: "unreachable",
    what: `The connection to ${host} failed (${code})`,
    advice: `See whether you are connected${url}, and ask again.`,
    isRetryable: true,
  };
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/;
const KNOWN = /^(?:E[A-Z_]{3,}|UND_ERR_[A-Z_]+|[A-Z_]*(?:CERT|SIGNED)[A-Z_]*|UNABLE_TO_[A-Z_]+)$/;

function isKnown(code: string): boolean {
  return KNOWN.test(code);
}

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  let cause = error;
  while (cause instanceof Error && causes.length < MAX_CAUSES) {
    causes.push(cause);
    cause = cause.cause;
  }
  return causes;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}
