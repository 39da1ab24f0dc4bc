import { throwIfAborted } from "@agent-history/core";

import { assertOption, cleanerFailed } from "./cleaner-errors.ts";
import { functionCleaner } from "./function-cleaner.ts";
import type { FunctionCleanerOptions } from "./function-cleaner.ts";
import { removeFromText } from "./remove-from-text.ts";
import type { TextCleaner } from "./text-cleaner.ts";
import { markerCleaner } from "./text-cleaners.ts";

/** A post-processor that marks what it adds. */
export interface MarkingOptions {
  /** Its name in reports. */
  readonly name: string;
  /**
   * 8 to 64 letters and digits that cannot be guessed, used by this post-processor only. Create it once and keep it, because stored
   * texts contain it.
   */
  readonly nonce: string;
  /** Returns `text` with additions, each of them passed through `mark`. */
  readonly apply: (
    text: string,
    context: {
      /** Puts an addition between two HTML comments that carry the nonce. */
      readonly mark: (added: string) => string;
      readonly signal: AbortSignal | undefined;
    },
  ) => string | Promise<string>;
}

/** A post-processor with its own removal function. */
export interface OwnRemovalOptions extends FunctionCleanerOptions {
  /** Returns `text` with additions. */
  readonly apply: (
    text: string,
    context: { readonly signal: AbortSignal | undefined },
  ) => string | Promise<string>;
}

/** Adds to a text; as a cleaner, removes what it added. */
export interface PostProcessor extends TextCleaner {
  /** Returns `text` with additions. If it rejects, nothing was added. */
  apply(text: string, signal?: AbortSignal): Promise<string>;
}

/**
 * Makes a post-processor that can remove what it added: it is also a cleaner.
 *
 * Removal restores the text exactly, whatever it contains: `apply` checks each result before it returns it. A text may already contain marks of
 * the nonce, because it was processed before or a model repeats them: `apply` gets the text with those marks broken up by empty marks, which are
 * removed with the others. So pass every answer through `apply`, also those without additions. Two applications need two removals, the last first.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on a nonce of another form. `apply` rejects with `CLEANER_FAILED`
 * if removal would not restore the text: something was added without a mark, or changed.
 * @example
 * ```ts
 * import { postProcessor, removeFromText } from "@agent-history/postprocess";
 *
 * const followUps = postProcessor({
 *   name: "follow-ups",
 *   nonce: "k3v9q27hd0xw",
 *   apply: (text, { mark }) => text + mark("\n\nAsk next: and of Spain?"),
 * });
 * const shown = await followUps.apply("Paris.");
 * shown;
 * // => "Paris.<!--ah:k3v9q27hd0xw-->\n\nAsk next: and of Spain?<!--/ah:k3v9q27hd0xw-->"
 * (await removeFromText(shown, { cleaners: [followUps] })).text;
 * // => "Paris."
 * ```
 */
export function postProcessor(options: MarkingOptions): PostProcessor;
export function postProcessor(options: OwnRemovalOptions): PostProcessor;
export function postProcessor(options: MarkingOptions | OwnRemovalOptions): PostProcessor {
  if (!("nonce" in options)) return reversible(functionCleaner(options), options.apply);
  const { name, nonce, apply } = options;
  assertOption(/^[a-z\d]{8,64}$/i.test(nonce), "nonce", nonce, "8 to 64 letters and digits");
  const open = `<!--ah:${nonce}-->`;
  const close = `<!--/ah:${nonce}-->`;
  // Inserts an empty pair into each mark that a text already has. Afterwards `ah:` is nowhere else followed by
  // the nonce, and where a mark meets text no other one arises, as `<` stands only at the beginning of a mark.
  const defuse = (text: string): string =>
    text.split(`ah:${nonce}`).join(`ah:${open}${close}${nonce}`);
  const mark = (added: string): string => open + defuse(added) + close;
  return reversible(markerCleaner({ name, open, close }), (text, { signal }) =>
    apply(defuse(text), { mark, signal }),
  );
}

/** Accepts a result only if the cleaner restores the text from it. */
function reversible(cleaner: TextCleaner, apply: OwnRemovalOptions["apply"]): PostProcessor {
  return {
    ...cleaner,
    apply: async (text, signal) => {
      throwIfAborted(signal);
      const shown = await apply(text, { signal });
      const cleaned = await removeFromText(shown, { cleaners: [cleaner], signal });
      if (cleaned.text === text) return shown;
      throw cleanerFailed(cleaner.name);
    },
  };
}
