import { HistoryError, isHistoryError } from "@agent-history/core";
import { driverFailure } from "@agent-history/store-kit";
import type { DriverFailure } from "@agent-history/store-kit";

/**
 * Determines from a client's error whether a command was executed. Compares class names, because each installed version of `redis` has its own
 * classes. Unrecognized errors count as unknown.
 */
export function classifyFailure(error: unknown): DriverFailure {
  if (!(error instanceof Error)) return { outcome: "unknown", isPassing: false, reason: "error" };
  const names = [error.constructor.name, error.name];
  const known = names.map((name) => CLIENT_FAILURES.get(name)).find((one) => one !== undefined);
  if (known !== undefined) return known;
  if (names.some((name) => REPLIES.has(name))) return classifyReply(error.message);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (UNREACHABLE.has(code)) return notSent("unreachable", true);
  if (error.message === "The queue is full") return notSent("queue-full", true);
  return { outcome: "unknown", isPassing: true, reason: "disconnected" };
}

function classifyReply(message: string): DriverFailure {
  const rejected = (reason: string, isPassing = false): DriverFailure => ({
    outcome: "rejected",
    isPassing,
    reason,
  });
  // An error in a script contains the command's error somewhere in its message.
  if (message.includes("OOM command not allowed")) return rejected("full");
  if (/\bWRONGTYPE\b/.test(message)) return rejected("wrong-type");
  const code = /^[A-Z]+/.exec(message)?.[0] ?? "ERR";
  if (PASSING_REPLIES.has(code)) return rejected(code.toLowerCase(), true);
  return rejected(KNOWN_REPLIES.get(code) ?? "error-reply");
}

const notSent = (reason: string, isPassing: boolean): DriverFailure => ({
  outcome: "not-sent",
  isPassing,
  reason,
});

/** Errors of `redis` 5 and 6 that are not replies of the server. */
const CLIENT_FAILURES: ReadonlyMap<string, DriverFailure> = new Map([
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

/** Temporary: the server is loading, failing over, moving slots or running another script. */
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

/** Converts a client's error to a `HistoryError`. Never contains the client's message, which may quote credentials or content. */
export function asHistoryError(error: unknown, what: "read" | "write"): HistoryError {
  if (isHistoryError(error)) return error;
  const failure = classifyFailure(error);
  const { reason } = failure;
  if (reason === "wrong-type") {
    return new HistoryError(
      "The keys of the thread are inconsistent. Nothing was written. Call `verify`.",
      { code: "THREAD_CORRUPT", details: { reason } },
    );
  }
  return driverFailure(what, { ...failure, advice: ADVICE.get(reason) });
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["client-closed", "Connect the client before the store is used."],
  ["full", "The server's memory is full: give it more, or delete threads."],
  ["no-permission", "Allow the user of this client the commands that the README lists."],
  ["cross-slot", "Pass a cluster client (`createCluster`) if the server is a cluster."],
  ["persistence-failing", "The server cannot save its data: look at its disk."],
]);
