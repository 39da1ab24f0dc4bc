import { HistoryError } from "@agent-history/core";

/**
 * Requires messages to be a list. A single text, which the SDKs also take, would be read letter by letter, and a whole request as no message.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on anything else.
 *
 * @example
 * ```ts
 * import { isHistoryError } from "@agent-history/core";
 * import { requireMessages } from "@agent-history/format-kit";
 *
 * let failure: unknown;
 * try {
 *   requireMessages("To Rome, please.");
 * } catch (error) {
 *   failure = error;
 * }
 * isHistoryError(failure, "INVALID_OPTION");
 * // => true
 * ```
 */
export function requireMessages(messages: unknown): void {
  if (Array.isArray(messages)) return;
  throw new HistoryError(
    `Expected a list of messages, got ${typeof messages}. A single text is [{ role: "user", content: text }]; of a request, pass its messages.`,
    { code: "INVALID_OPTION", details: { option: "messages" } },
  );
}
