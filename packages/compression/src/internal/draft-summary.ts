import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { AllowedSpan } from "./allowed-spans.ts";
import { isGiant } from "./check-answer.ts";
import { isCounterFailure } from "./checked-counter.ts";
import { neutralize } from "./neutralize.ts";
import { orAborted } from "./or-aborted.ts";
import type { Settings } from "./settings.ts";

/** What the writer of one summary is asked. */
export interface SummaryDraftRequest {
  readonly span: AllowedSpan;
  /** What stands beside it and is known now. */
  readonly later: readonly HistoryEntry[];
  /** The cap on the text. */
  readonly maxTokens: number;
  readonly onPiece: (done: number, total: number) => void;
}

/** Has the text of one summary written: by the first writer that does not fail and finds something to say. Empty where none does. */
export async function draftSummary(
  { span, later, maxTokens, onPiece }: SummaryDraftRequest,
  { writers, counter, options }: Settings,
): Promise<string> {
  const { signal } = options;
  const { read: covered, previous, concepts, text: written } = span;
  if (written !== undefined) return usable(written, maxTokens, counter);
  let failure: unknown;
  for (const write of writers) {
    throwIfAborted(signal);
    try {
      const asked = write({
        covered,
        later,
        maxTokens,
        counter,
        onPiece,
        ...(previous !== undefined && { previous }),
        ...(concepts !== undefined && { concepts }),
        ...(signal && { signal }),
      });
      const text = usable(await orAborted(asked, signal), maxTokens, counter);
      if (text !== "") return text;
    } catch (error) {
      throwIfAborted(signal);
      if (isCounterFailure(error)) throw error;
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  return "";
}

function usable(text: unknown, maxTokens: number, counter: Settings["counter"]): string {
  if (typeof text !== "string") throw unusable("text", typeof text);
  if (isGiant(text, maxTokens)) throw unusable(`at most ${maxTokens} tokens of text`, "more");
  if (text.trim() === "") return "";
  const safe = neutralize(text);
  if (counter.countText(safe) <= maxTokens) return safe;
  throw unusable(`at most ${maxTokens} tokens of text`, "more");
}

function unusable(expected: string, received: string): HistoryError {
  return new HistoryError(`Expected the summarizer to return ${expected}; got ${received}.`, {
    code: "MODEL_FAILED",
  });
}
