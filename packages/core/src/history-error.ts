/**
 * Error codes, for code to act on.
 *
 * - `INVALID_OPTION` an option that can never work; thrown at construction. `details`: `option`.
 * - `INVALID_ENTRY` an entry, or a line of an export, that cannot be built, parsed or fitted. `details`: `path`, `entryId`, `entryType`, `line`, and `index`
 *   in a history.
 * - `INVALID_QUERY` a query with an invalid limit. `details`: `option`.
 * - `UNKNOWN_VERSION` a stored row of a schema version that this release does not know. `details`: `version`, `entryId`.
 * - `WINDOW_TOO_SMALL` what must be kept does not fit. `details`: `required`, `available`.
 * - `COUNTER_FAILED` a token counter threw, rejected or did not give a count. `details`: `counterId`, `entryId`.
 * - `STEP_FAILED` a reduction step or a scorer threw, rejected, or enlarged the history. `details`: `step`, its name.
 * - `CLEANER_FAILED` a cleaner threw, did more than cut, or cannot remove what its post-processor added. `details`: `cleaner`.
 * - `MODEL_FAILED` a summary model failed or gave no usable text.
 * - `TOO_LARGE` over a store's limit; nothing was sent. `details`: `limit`, `actual`, and `entryId` if one entry is too large.
 * - `DUPLICATE_ID` the id of another entry. `details`: `entryId`, or `count` where there are several.
 * - `VERSION_CONFLICT` a thread or view moved on since it was read. `details`: `expected`, `actual`.
 * - `THREAD_DELETED` a write to a thread that was deleted.
 * - `ENTRY_ERASED` a late retry of an entry that was erased.
 * - `THREAD_HELD` an erasure of a thread that is held; `details.hold` says by what.
 * - `HISTORY_REWOUND` entries that the caller has seen are gone: a server lost acknowledged writes (`details`: `expected`, `actual`), or the entry that `after` names was replaced
 *   (`details`: `entryId`, `lastCommonId`).
 * - `THREAD_CORRUPT` a thread's log and index disagree; nothing was written.
 * - `STORE_MISCONFIGURED` the server's configuration may lose history, and no option allows it.
 * - `STORE_UNAVAILABLE` nothing was written. `details`: `outcome` (`not-sent`, `rejected`), and `reason` where it is known (`full`, `locked`, …).
 * - `OUTCOME_UNKNOWN` a write was sent and its answer lost; send the same ids again.
 * - `KEY_UNAVAILABLE` the key of an encrypted thread is missing or another one; nothing was read or written. `details`: `reason` (`missing`, `wrong`, `plain`).
 * - `KEY_DESTROYED` a write to an encrypted thread whose key was destroyed.
 * - `MISSING_PACKAGE` an optional peer that is not installed, or is too old. `details`: `package`, its name, and `needs`, the range of versions that would do.
 * - `NOT_FOUND` a thread, summary or file that is not there.
 * - `ABORTED` the caller's signal fired; nothing was changed.
 */
export type HistoryErrorCode =
  | "INVALID_OPTION"
  | "INVALID_ENTRY"
  | "INVALID_QUERY"
  | "UNKNOWN_VERSION"
  | "WINDOW_TOO_SMALL"
  | "COUNTER_FAILED"
  | "STEP_FAILED"
  | "CLEANER_FAILED"
  | "MODEL_FAILED"
  | "TOO_LARGE"
  | "DUPLICATE_ID"
  | "VERSION_CONFLICT"
  | "THREAD_DELETED"
  | "THREAD_HELD"
  | "ENTRY_ERASED"
  | "HISTORY_REWOUND"
  | "THREAD_CORRUPT"
  | "STORE_MISCONFIGURED"
  | "STORE_UNAVAILABLE"
  | "OUTCOME_UNKNOWN"
  | "KEY_UNAVAILABLE"
  | "KEY_DESTROYED"
  | "MISSING_PACKAGE"
  | "NOT_FOUND"
  | "ABORTED";

/** Facts about an error: ids, paths, numbers. Never text of a conversation. */
export type HistoryErrorDetails = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** The one error class of the packages. Its message says what was expected, what came and what to do. */
export class HistoryError extends Error {
  override readonly name = "HistoryError";
  readonly code: HistoryErrorCode;
  readonly details: HistoryErrorDetails;

  constructor(
    message: string,
    options: {
      readonly code: HistoryErrorCode;
      readonly details?: HistoryErrorDetails;
      readonly cause?: unknown;
    },
  ) {
    super(message, options);
    this.code = options.code;
    this.details = options.details ?? {};
  }
}

/**
 * Returns whether `error` is a {@link HistoryError}, of `code` where one is given. Compares name and
 * code, so that it also works between two installed copies of the package.
 *
 * @example
 * ```ts
 * import { HistoryError, isHistoryError } from "@agent-history/core";
 *
 * const error = new HistoryError("Expected `turns` to be 0 or more, got -1", {
 *   code: "INVALID_OPTION",
 *   details: { option: "turns" },
 * });
 * isHistoryError(error, "INVALID_OPTION");
 * // => true
 * ```
 */
export function isHistoryError(error: unknown, code?: HistoryErrorCode): error is HistoryError {
  return (
    error instanceof Error &&
    error.name === "HistoryError" &&
    "code" in error &&
    (code === undefined || error.code === code)
  );
}

/**
 * Checks that an option is a count (L7): an integer of 0 or more, or `Infinity`. Returns it.
 *
 * @param name - The option's name, for the error.
 * @param code - The error's code. Default `INVALID_OPTION`.
 * @throws `HistoryError` on a negative number, a fraction, `NaN` or anything else.
 */
export function countOption(
  name: string,
  value: unknown,
  code: HistoryErrorCode = "INVALID_OPTION",
): number {
  const isCount = Number.isInteger(value) || value === Infinity;
  if (isCount && Number(value) >= 0) return Number(value);
  const received = typeof value === "number" ? value : typeof value;
  throw new HistoryError(
    `Expected \`${name}\` to be a non-negative integer or Infinity; got ${received}.`,
    { code, details: { option: name } },
  );
}

/**
 * Throws a `HistoryError` with code `ABORTED` if the signal has fired: what `signal.throwIfAborted()` does, under our code. The
 * signal's reason is the `cause`.
 *
 * @example
 * ```ts
 * import { isHistoryError, throwIfAborted } from "@agent-history/core";
 *
 * throwIfAborted(undefined);
 * let code;
 * try {
 *   throwIfAborted(AbortSignal.abort());
 * } catch (error) {
 *   code = isHistoryError(error) && error.code;
 * }
 * code;
 * // => "ABORTED"
 * ```
 */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new HistoryError("The call was aborted. Nothing was changed.", {
    code: "ABORTED",
    cause: signal.reason,
  });
}
