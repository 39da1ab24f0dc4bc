import { HistoryError, isHistoryError } from "@agent-history/core";
import { threadQueue } from "@agent-history/store-kit/indexed";

import { outcomeUnknown } from "./postgres-failure.ts";

/** Writes of one handle: those of one thread are sent in the order of the calls, one at a time. */
export interface WriteQueue {
  readonly run: <Result>(
    threadId: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ) => Promise<Result>;
  /** Resolves when nothing is on its way. */
  readonly idle: () => Promise<void>;
}

interface Waiting {
  /** Settles its caller; gives the error that it failed with. */
  readonly send: () => Promise<unknown>;
  readonly reject: (error: unknown) => void;
}

/** Makes an empty queue. Where a write fails that its caller may send again, those that wait behind it fail unsent: they would come before it. */
export function writeQueue(): WriteQueue {
  const queue = threadQueue<Waiting>({
    joins: () => false,
    send: async (_threadId, [waiting]) => {
      const error = await waiting?.send();
      const settle = (): void => {};
      if (error === undefined || isRefusal(error)) return { settle };
      return {
        settle,
        failBehind: (behind) => behind.forEach(({ reject }) => reject(behindFailed())),
      };
    },
  });
  return {
    idle: queue.idle,
    run: (threadId, signal, work) =>
      new Promise((resolve, reject) => {
        let isSent = false;
        const abort = (): void => {
          if (isSent) reject(outcomeUnknown("aborted"));
          else if (queue.remove(threadId, waiting)) reject(aborted());
        };
        const waiting: Waiting = {
          reject,
          send: async () => {
            isSent = true;
            try {
              resolve(await work());
              return undefined;
            } catch (error) {
              reject(error);
              return error;
            } finally {
              signal?.removeEventListener("abort", abort);
            }
          },
        };
        signal?.addEventListener("abort", abort, { once: true });
        queue.push(threadId, waiting);
      }),
  };
}

/** Returns whether a write was refused for good: its caller does not send it again as it is. */
function isRefusal(error: unknown): boolean {
  return !isHistoryError(error) || !PASSING.has(error.code);
}

const PASSING: ReadonlySet<string> = new Set(["STORE_UNAVAILABLE", "OUTCOME_UNKNOWN", "ABORTED"]);

function aborted(): HistoryError {
  return new HistoryError("The call was aborted. Nothing was changed.", { code: "ABORTED" });
}

function behindFailed(): HistoryError {
  return new HistoryError(
    "Nothing was written: an earlier write failed and may be retried. Send this one after it.",
    { code: "STORE_UNAVAILABLE", details: { outcome: "not-sent", reason: "behind-failed" } },
  );
}
