import type { AsyncTextCleaner, TextCleaner, TextSpan } from "@agent-history/core";

import { cleanerFailed } from "./internal/cleaner-failed.ts";
import { findCuts } from "./internal/find-cuts.ts";

/** A function that removes something from a text. */
export interface FunctionCleanerOptions {
  /** What reports call it. */
  readonly name: string;
  /** Returns the text with pieces left out, and nothing added or changed. Its cost is its own. */
  readonly removeFromText: (text: string, signal: AbortSignal | undefined) => string;
}

/** {@link FunctionCleanerOptions} with a function that may be asynchronous. */
export interface AsyncFunctionCleanerOptions {
  readonly name: string;
  readonly removeFromText: (
    text: string,
    signal: AbortSignal | undefined,
  ) => string | Promise<string>;
}

/**
 * Makes a cleaner from a function that removes something from a text.
 *
 * Cuts are found by comparison, in time linear in the text. A function that adds or changes anything fails, and the
 * failure is reported like that of one that throws.
 *
 * @example
 * ```ts
 * import { functionCleaner, removeFromText } from "@agent-history/postprocess";
 *
 * const wave = functionCleaner({ name: "wave", removeFromText: (text) => text.replaceAll("👋", "") });
 * removeFromText("Hi 👋", { cleaners: [wave] });
 * // => { text: "Hi ", cuts: [{ cleaner: "wave", start: 3, end: 5 }], failures: [] }
 * ```
 */
export function functionCleaner(options: FunctionCleanerOptions): TextCleaner;
export function functionCleaner(options: AsyncFunctionCleanerOptions): AsyncTextCleaner;
export function functionCleaner(options: AsyncFunctionCleanerOptions): AsyncTextCleaner {
  const { name, removeFromText } = options;
  return {
    name,
    findSpans: (text, _source, signal) => {
      const compare = (rest: string): readonly TextSpan[] => {
        const spans = findCuts(text, rest);
        if (spans === undefined) throw cleanerFailed(name);
        return spans;
      };
      const rest = removeFromText(text, signal);
      return typeof rest === "string" ? compare(rest) : rest.then(compare);
    },
  };
}
