import { countForTarget } from "@agent-history/format-kit";
import type { CountOptions, RequestCount } from "@agent-history/format-kit";

import { contentsRequest } from "./fit-contents.ts";
import type { FitContentsOptions } from "./fit-contents.ts";
import { stepsRequest } from "./fit-interaction-steps.ts";
import type { GoogleContentLike } from "./google-content.ts";
import type { InteractionStepLike } from "./interaction-step.ts";

/** A request to count: of `generateContent` (`contents`) or of the Interactions API (`input`), and the counter. */
export type GoogleRequestToCount = CountOptions &
  Pick<FitContentsOptions, "model" | "systemInstruction" | "tools"> &
  (
    | { readonly contents: readonly GoogleContentLike[] }
    | { readonly input: readonly InteractionStepLike[] }
  );

/**
 * Counts a request of Gemini's API before it is sent, by the count that `fitContents` and `fitInteractionSteps` fit with: tokens by part, bytes of its body, images. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on a tool of another shape.
 *
 * @example
 * ```ts
 * import { countRequest } from "@agent-history/google";
 * import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
 *
 * const exact = tiktokenCounter({ encoding: "o200k_base" });
 * const counter = estimatingCounter({ family: "gemini", counter: exact });
 * const contents = [{ role: "user", parts: [{ text: "To Rome, please." }] }];
 * const { tokens, parts } = countRequest({ counter, contents, systemInstruction: "You book flights." });
 * parts.instructions + parts.history === tokens;
 * // => true
 * ```
 */
export function countRequest(request: GoogleRequestToCount): RequestCount {
  const { target, entries, tools } =
    "contents" in request
      ? contentsRequest(request.contents, request)
      : stepsRequest(request.input, request);
  return countForTarget(target, entries, { ...request, tools });
}
