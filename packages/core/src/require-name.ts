import { HistoryError } from "./history-error.ts";
import { MAX_NAME_LENGTH } from "./history-store.ts";

/**
 * Checks the name of a thread or of a key of state; for authors of stores.
 *
 * @param option - The option's name in the error. `threadId` may not be empty.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a string, or a thread's id is empty; `TOO_LARGE` where it has more than
 * {@link MAX_NAME_LENGTH} UTF-16 code units.
 *
 * @example
 * ```ts
 * import { requireName } from "@agent-history/core/schema";
 *
 * requireName("threadId", "thread-1");
 * ```
 */
export function requireName(option: "threadId" | "key", name: unknown): void {
  if (typeof name !== "string" || (name === "" && option === "threadId")) {
    throw new HistoryError(`Expected \`${option}\` to be a non-empty string.`, {
      code: "INVALID_OPTION",
      details: { option },
    });
  }
  if (name.length <= MAX_NAME_LENGTH) return;
  throw new HistoryError(
    `Expected at most ${MAX_NAME_LENGTH} characters in \`${option}\`, got ${name.length}. Nothing was sent. Use a shorter name, such as a hash of it.`,
    { code: "TOO_LARGE", details: { option, limit: MAX_NAME_LENGTH, actual: name.length } },
  );
}
