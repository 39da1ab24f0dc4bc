import { assistantMessage, HistoryError, isHistoryError } from "@agent-history/core";
import type { EntrySources, HistoryErrorCode, Reducer } from "@agent-history/core";
import { failSpan, tracerOf } from "@agent-history/core/kit";
import type { TraceSpan } from "@agent-history/core/kit";

import type { HistoryManagerOptions } from "../history-manager-options.ts";
import type { KnownNumbers } from "./citation-numbers.ts";
import type { GivenEntries } from "./given-entries.ts";
import type { ViewCache } from "./read-view.ts";
import type { TurnStart } from "./write-entries.ts";

/**
 * State shared by all methods: one thread of a store, and this process's caches. Caches never change results, except
 * `given`, which recognizes an entry object that is passed again.
 */
export interface ManagedThread {
  readonly options: HistoryManagerOptions;
  readonly reducer: Reducer;
  /** Runs writes one after the other; a failed one does not stop the next. */
  readonly inOrder: <Result>(write: () => Promise<Result>) => Promise<Result>;
  readonly numbers: KnownNumbers;
  readonly views: ViewCache;
  readonly given: GivenEntries;
  /** Precondition of the first write of the turn in this scope. */
  readonly start?: TurnStart | undefined;
}

/** Runs work in a span; attributes are counts and codes, never content. */
export async function inSpan<Result>(
  name: string,
  work: (span: TraceSpan | undefined) => Promise<Result>,
): Promise<Result> {
  const tracer = tracerOf("@agent-history/history-manager");
  if (tracer === undefined) return work(undefined);
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Returns a new unique name, from the source of ids. */
export function newName(sources: EntrySources): string {
  // core creates ids for entries only.
  return assistantMessage({ content: "" }, sources).id;
}

/** The id of the caller's system message in every prompt, which no stored entry may have. */
export const INSTRUCTIONS_ID = "history-manager/system";

/** The error for an entry with the id reserved for the instructions. */
export function reservedId(advice: string): HistoryError {
  return new HistoryError(
    `The id \`${INSTRUCTIONS_ID}\` is reserved for the instructions of a call. ${advice}`,
    { code: "DUPLICATE_ID", details: { entryId: INSTRUCTIONS_ID } },
  );
}

/** Options of the retries. */
export interface Repeating {
  /** Default 2. */
  readonly maxRetries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Retries a store call whose answer was lost; throws the last error. `done` is the error code by which a retry says that the
 * lost call was carried out.
 */
export async function repeatLost<Result>(
  ask: () => Promise<Result>,
  { maxRetries = 2, signal }: Repeating,
  done?: { readonly code: HistoryErrorCode; readonly result: Result },
): Promise<Result> {
  let lost: unknown;
  for (let retries = 0; ; retries++) {
    try {
      return await ask();
    } catch (error) {
      const isLost = isHistoryError(error, "OUTCOME_UNKNOWN");
      if (lost !== undefined && done !== undefined && isHistoryError(error, done.code))
        return done.result;
      // The outcome of the first try is still unknown, whatever happened to this one.
      const isStill =
        isHistoryError(error, "STORE_UNAVAILABLE") || isHistoryError(error, "ABORTED");
      if (isLost) lost = error;
      else if (lost === undefined || !isStill) throw error;
      if (retries >= maxRetries || signal?.aborted === true) throw lost;
    }
  }
}
