import type { TokenCounter } from "@agent-history/core";
import { estimatingCounter } from "@agent-history/tokens";

/** The id of {@link lengthCounter}. */
export const LENGTH_COUNTER_ID = "length";

/**
 * Creates a counter that estimates tokens by length: one token for four UTF-16 code units, and one for each code unit beyond Latin script. It needs no token table. Use it for
 * overviews, never to fit a request.
 */
export function lengthCounter(): TokenCounter {
  const counter = { id: LENGTH_COUNTER_ID, countText: estimate };
  return {
    ...estimatingCounter({ family: "claude-before-4.7", factor: 1, counter }),
    id: LENGTH_COUNTER_ID,
  };
}

function estimate(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x2ff) wide += 1;
  return wide + Math.ceil((text.length - wide) / 4);
}
