import type { ImageTokens } from "./image-tokens.ts";

// Source: Google, "Media resolution" of the Gemini API: 280 tokens an image at low, 1,120 at high resolution, the default
// for images; 2,240 at ultra high.
const LOW_TOKENS = 280;
const HIGH_TOKENS = 1120;
const ULTRA_HIGH_TOKENS = 2240;

/**
 * Counts images as Gemini 3 and later do: by resolution alone, whatever their size. Older Gemini models take 258 for each tile
 * of 768 pixels, mostly less.
 *
 * @example
 * ```ts
 * import { geminiImageTokens } from "@agent-history/tokens";
 *
 * const source = { kind: "url", url: "https://example.org/a.png" } as const;
 * geminiImageTokens()({ type: "image", source });
 * // => 1120
 * ```
 */
export function geminiImageTokens(): ImageTokens {
  return ({ detail }) => {
    if (detail === "low") return LOW_TOKENS;
    return detail === "original" ? ULTRA_HIGH_TOKENS : HIGH_TOKENS;
  };
}
