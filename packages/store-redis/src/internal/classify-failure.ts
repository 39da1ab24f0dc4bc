/** What is known of a command that failed. */
export interface Failure {
  /** `not-sent` and `rejected`: nothing was done. `unknown`: it may have been. */
  readonly outcome: "not-sent" | "rejected" | "unknown";
  /** Whether the same command may succeed a moment later. */
  readonly isPassing: boolean;
  /** A word that says why. Never text of the client or the server, which may quote credentials or content. */
  readonly reason: string;
}

/**
 * Tells from a client's error whether a command was carried out. By the class's name: two versions of `redis` have classes
 * of their own. What is not known counts as unknown.
 */
export function classifyFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { outcome: "unknown", isPassing: false, reason: "error" };
  const names = [error.constructor.name, error.name];
  for (const name of names) {
    const known = CLIENT_FAILURES.get(name);
    if (known !== undefined) return known;
  }
  if (names.some((name) => REPLIES.has(name))) return classifyReply(error.message);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (UNREACHABLE.has(code)) return { outcome: "not-sent", isPassing: true, reason: "unreachable" };
  if (error.message === "The queue is full") {
    return { outcome: "not-sent", isPassing: true, reason: "queue-full" };
  }
  return { outcome: "unknown", isPassing: true, reason: "disconnected" };
}

function classifyReply(message: string): Failure {
  const rejected = { outcome: "rejected" } as const;
  // A script's own error names the command's error somewhere in its text.
  if (message.includes("OOM command not allowed")) {
    return { ...rejected, isPassing: false, reason: "full" };
  }
  if (/\bWRONGTYPE\b/.test(message)) {
    return { ...rejected, isPassing: false, reason: "wrong-type" };
  }
  // Only a log's first row can be refused so: a script checks all else before.
  if (message.includes("equal or smaller than the target stream top item")) {
    return { ...rejected, isPassing: false, reason: "out-of-order" };
  }
  const code = /^[A-Z]+/.exec(message)?.[0] ?? "ERR";
  if (PASSING_REPLIES.has(code)) {
    return { ...rejected, isPassing: true, reason: code.toLowerCase() };
  }
  return { ...rejected, isPassing: false, reason: KNOWN_REPLIES.get(code) ?? "error-reply" };
}

const notSent = (reason: string, isPassing: boolean): Failure => ({
  outcome: "not-sent",
  isPassing,
  reason,
});

/** The errors of `redis` 5 and 6 that are no reply. */
const CLIENT_FAILURES: ReadonlyMap<string, Failure> = new Map([
  ["ClientClosedError", notSent("client-closed", false)],
  ["ClientOfflineError", notSent("offline", true)],
  ["AbortError", notSent("timeout", false)],
  ["TimeoutError", notSent("timeout", true)],
  ["CommandTimeoutDuringMaintenanceError", notSent("timeout", true)],
  ["ConnectionTimeoutError", notSent("unreachable", true)],
  ["RootNodesUnavailableError", notSent("unreachable", true)],
  ["MaxCommandRedirectionsError", { outcome: "rejected", isPassing: true, reason: "redirections" }],
]);

const REPLIES: ReadonlySet<string> = new Set(["ErrorReply", "SimpleError", "BlobError"]);

const UNREACHABLE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
]);

/** The server takes no writes at this moment: it loads, fails over, moves slots or runs another's script. */
const PASSING_REPLIES: ReadonlySet<string> = new Set([
  "LOADING",
  "READONLY",
  "MASTERDOWN",
  "CLUSTERDOWN",
  "TRYAGAIN",
  "MOVED",
  "ASK",
  "BUSY",
  "NOREPLICAS",
]);

const KNOWN_REPLIES: ReadonlyMap<string, string> = new Map([
  ["NOSCRIPT", "no-script"],
  ["NOPERM", "no-permission"],
  ["NOAUTH", "no-permission"],
  ["WRONGPASS", "no-permission"],
  ["MISCONF", "persistence-failing"],
  ["CROSSSLOT", "cross-slot"],
]);
