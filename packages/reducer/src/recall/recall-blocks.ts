import { shareOption } from "../internal/share-option.ts";
import { namedFailure } from "../internal/step-failed.ts";
import type { Recall } from "../recall.ts";
import { proceed } from "./internal/proceed.ts";
import type { ShareFunction } from "./internal/recall-settings.ts";

/** Options of {@link recallBlocks}. */
export interface RecallBlocksOptions {
  /**
   * The share of the window that one block may have, from 0 to 1. A message that asks nothing has a tenth of it, one that asks besides
   * saying more in proportion, a question about the whole nearly twice as much, one that is chosen at a cut up to twice as much. Default 0.2.
   */
  readonly share?: number | undefined;
  /** The share of the window that is quoted at its beginning after a cut: standing wishes, then what says most. From 0 to 1. Default 0.2. */
  readonly headShare?: number | undefined;
  /** Quotes tools' results too, under the tool's name and with the trust of a tool. Default `false`. */
  readonly quotesTools?: boolean | undefined;
  /** Finds what the user wants from now on ("always …"), in the user's language. Default: nothing; the scorers of this package bring it for English. */
  readonly standingWishes?: RegExp | undefined;
  /** Finds questions about order, a summary or the whole. Default: none; the scorers of this package bring it for English. */
  readonly wholeQuestions?: RegExp | undefined;
  /**
   * Tells how much of a message asks something, from 0 to 1; of a long one it is given the beginning. Default: 1 where there is a question mark. The
   * scorers of this package bring more for English.
   */
  readonly asks?: ((text: string) => number) | undefined;
}

/**
 * Makes what quotes old entries: before a new question stands one `memory` entry that quotes, word for word, with speaker and day, the old
 * entries that help to answer it. It stays where it is until the next cut, so that the prefix never changes.
 *
 * Takes effect where a fit continues `previousPlan` and something is no longer shown. A step of a tool loop quotes nothing more. The view
 * is scored once for each new question, and once more at each cut, for the part at the beginning; at most two windows of text are tokenized each time.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a share is not from 0 to 1. A fit throws the same if `asks` returns no such share, and
 *   `STEP_FAILED`, which names the option, if `asks` or a pattern throws.
 */
export function recallBlocks(options: RecallBlocksOptions = {}): Recall {
  const { share = 0.2, headShare = 0.2, quotesTools = false } = options;
  const { standingWishes, wholeQuestions, asks = asksByMark } = options;
  shareOption("share", share, true);
  shareOption("headShare", headShare, true);
  const settings = {
    share,
    headShare,
    quotesTools,
    isWish: matches("standingWishes", standingWishes),
    isWide: matches("wholeQuestions", wholeQuestions),
    asks: checkedShare("asks", asks),
  };
  return { name: "block", proceed: (fit, planner) => proceed(fit, planner, settings) };
}

function asksByMark(text: string): number {
  return Number(/[?？؟]/u.test(text));
}

/** A caller's function that returns a share: what it throws, and what is not a share, is a failure of the option that it came by. */
function checkedShare(option: string, share: (text: string) => unknown): ShareFunction {
  return (text) => {
    let value: number;
    try {
      value = Number(share(text));
    } catch (cause) {
      throw namedFailure(option, cause);
    }
    return shareOption(option, value, true);
  };
}

/** Returns 1 where a caller's pattern is found, 0 elsewhere. */
function matches(option: string, pattern: RegExp = /(?!)/u): ShareFunction {
  return checkedShare(option, (text) => text.search(pattern) >= 0);
}
