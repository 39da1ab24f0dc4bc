import { cleanerFailed } from "./cleaner-errors.ts";
import type { TextCleaner, TextSpan } from "./text-cleaner.ts";

/** A function that removes something from a text. */
export interface FunctionCleanerOptions {
  /** Its name in reports. */
  readonly name: string;
  /** Returns the text without some pieces; must not add or change anything. */
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
 * await removeFromText("Hi 👋", { cleaners: [wave] });
 * // => { text: "Hi ", cuts: [{ cleaner: "wave", start: 3, end: 5 }], failures: [] }
 * ```
 */
export function functionCleaner({ name, removeFromText }: FunctionCleanerOptions): TextCleaner {
  return {
    name,
    findSpans: async (text, _source, signal) => {
      const spans = findCuts(text, await removeFromText(text, signal));
      if (spans === undefined) throw cleanerFailed(name);
      return spans;
    },
  };
}

/**
 * Finds spans whose removal from `text` gives `rest`; `undefined` if there are none. Prefers one span;
 * otherwise keeps the first match. Never splits a surrogate pair. Linear.
 */
function findCuts(text: string, rest: string): readonly TextSpan[] | undefined {
  let left = 0;
  for (const character of rest) {
    if (!text.startsWith(character, left)) break;
    left += character.length;
  }
  let end = left;
  if (rest.length <= text.length && text.endsWith(rest.slice(left))) {
    return [{ start: left, end: text.length - rest.length + left }];
  }
  const spans: { start: number; end: number }[] = [];
  for (const character of text.slice(left)) {
    const start = end;
    end += character.length;
    const last = spans.at(-1);
    if (rest.startsWith(character, left)) left += character.length;
    else if (last?.end === start) last.end = end;
    else spans.push({ start, end });
  }
  return left === rest.length ? spans : undefined;
}
