import { HistoryError, isHistoryError } from "@agent-history/core";

import { classifyFailure } from "./classify-failure.ts";
import type { Failure } from "./classify-failure.ts";
import { countRetry } from "./trace-verb.ts";

/** One call of a verb: what it sends is sent again after a passing failure, until its deadline or its caller's signal. */
export interface Operation {
  /** Sends what changes nothing. */
  readonly read: <T>(send: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Sends a write that may be sent again: the same ids and bytes each time. */
  readonly write: <T>(send: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Whether a write of this call was sent and its answer lost. */
  readonly isUnsure: () => boolean;
}

/** How long a call may take. One that reads in many rounds has this for each of them: a log of any length can be read. */
export interface Limits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a call under a deadline of its own: a command that was written to a frozen server never returns by itself.
 * Commands that were not written yet are undone, so that nothing is done after the call has failed as not sent.
 */
export async function withDeadline<T>(
  { timeoutMs, signal }: Limits,
  run: (operation: Operation) => Promise<T>,
): Promise<T> {
  const ending = begin(timeoutMs, signal);
  try {
    return await run(operationUntil(ending));
  } finally {
    ending.clear();
  }
}

interface Ending {
  /** Fires with the deadline, or with the caller's signal. */
  readonly signal: AbortSignal;
  /** Rejects a moment later, when the client has said which commands it took back. */
  readonly over: Promise<never>;
  readonly isAborted: () => boolean;
  /** Puts the deadline off: the server has answered a read. */
  readonly renew: () => void;
  readonly clear: () => void;
}

/** What `over` rejects with, and what it says of a command that has no answer by then. */
const OVER: Error = new Error("The call is over.");
const TIMED_OUT: Failure = { outcome: "not-sent", isPassing: false, reason: "timeout" };
const UNANSWERED: Failure = { outcome: "unknown", isPassing: false, reason: "timeout" };

function begin(timeoutMs: number, signal: AbortSignal | undefined): Ending {
  const controller = new AbortController();
  let end = (): void => {};
  const over = new Promise<never>((_resolve, reject) => {
    end = () => {
      controller.abort();
      setImmediate(() => reject(OVER));
    };
  });
  over.catch(() => {});
  const timer = timeoutMs > LONGEST_TIMER_MS ? undefined : setTimeout(end, timeoutMs);
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted === true) end();
  return {
    signal: controller.signal,
    over,
    isAborted: () => signal?.aborted === true,
    renew: () => void timer?.refresh(),
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
    },
  };
}

function operationUntil(ending: Ending): Operation {
  let mayHaveLanded = false;

  async function attempt<T>(
    isWrite: boolean,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    let failure = TIMED_OUT;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        if (!ending.signal.aborted) return await answerOf(isWrite, send);
      } catch (error) {
        if (isHistoryError(error)) throw error;
        failure = error === OVER ? UNANSWERED : classifyFailure(error);
      }
      if (isWrite && failure.outcome === "unknown") mayHaveLanded = true;
      const goesOn = failure.isPassing && (await pause(pauseMs, ending));
      if (!goesOn) throw asHistoryError(failure, { mayHaveLanded, isAborted: ending.isAborted() });
      countRetry();
    }
  }

  async function answerOf<T>(
    isWrite: boolean,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const answer = await Promise.race([send(ending.signal), ending.over]);
    if (!isWrite && !ending.signal.aborted) ending.renew();
    return answer;
  }

  return {
    read: (send) => attempt(false, send),
    write: (send) => attempt(true, send),
    isUnsure: () => mayHaveLanded,
  };
}

/** A timer of more would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

/** Waits a moment; false where the call is over before. */
async function pause(ms: number, { over, signal }: Ending): Promise<boolean> {
  if (signal.aborted) return false;
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), ms);
  });
  const goesOn = await Promise.race([passed, over.catch(() => false)]);
  clearTimeout(timer);
  return goesOn;
}

function asHistoryError(
  { outcome, reason }: Failure,
  { mayHaveLanded, isAborted }: { readonly mayHaveLanded: boolean; readonly isAborted: boolean },
): HistoryError {
  if (mayHaveLanded) return outcomeUnknown(reason);
  if (isAborted) {
    return new HistoryError("The call was aborted. Nothing was changed.", { code: "ABORTED" });
  }
  if (BROKEN.has(reason)) {
    return new HistoryError(
      "Expected the keys of the thread to be what the store left there. Nothing was written. Call `verify`.",
      { code: "THREAD_CORRUPT", details: { reason } },
    );
  }
  return new HistoryError(`Nothing was written (${reason}). ${ADVICE.get(reason) ?? RETRY}`, {
    code: "STORE_UNAVAILABLE",
    details: { outcome: outcome === "rejected" ? "rejected" : "not-sent", reason },
  });
}

/** Says that a write may or may not have been done. */
export function outcomeUnknown(reason: string): HistoryError {
  return new HistoryError(
    `The write was sent, but its answer was lost (${reason}). Retry with the same ids: stored entries are not duplicated.`,
    { code: "OUTCOME_UNKNOWN", details: { reason } },
  );
}

/** What a script's own error says of the keys. */
const BROKEN: ReadonlySet<string> = new Set(["wrong-type", "out-of-order"]);

const RETRY = "Try again.";

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["client-closed", "Connect the client before the store is used."],
  ["full", "The server's memory is full: give it more, or delete threads."],
  ["no-permission", "Allow the user of this client the commands that the README lists."],
  ["cross-slot", "Pass a cluster client (`createCluster`) if the server is a cluster."],
  ["persistence-failing", "The server cannot save its data: look at its disk."],
]);
