import type { ImageTokens } from "./image-tokens.ts";
import { coveringSquares, type ImageSize, imageSize } from "./internal/image-size.ts";

/** The largest image that a model looks at without shrinking it. */
export type AnthropicResolution = "high" | "standard";

const PATCH_PIXELS = 28;

const limits = {
  high: { maxSidePixels: 2576, maxTokens: 4784 },
  standard: { maxSidePixels: 1568, maxTokens: 1568 },
} as const;

/**
 * Counts images as Anthropic does: a token for each 28 × 28 pixels that cover the image, once it is shrunk to what the
 * model looks at. An image of unknown size counts as the largest. `detail` means nothing to Claude.
 *
 * Source: Anthropic, "Vision", "Resolution and token cost", and "How Claude resizes and pads images". The rule of its older
 * pages, width × height / 750, is the same area without the edges.
 *
 * @param resolution - `high` (the default) for Claude 4.7 and later, `standard` for those before.
 *
 * @example
 * ```ts
 * import { anthropicImageTokens } from "@agent-history/tokens";
 *
 * const source = { kind: "url", url: "https://example.org/a.png" } as const;
 * anthropicImageTokens()({ type: "image", source, width: 1000, height: 1000 });
 * // => 1296
 * anthropicImageTokens("standard")({ type: "image", source });
 * // => 1568
 * ```
 */
export function anthropicImageTokens(resolution: AnthropicResolution = "high"): ImageTokens {
  const { maxSidePixels, maxTokens } = limits[resolution];

  function fits({ width, height }: ImageSize): boolean {
    const longSide = Math.ceil(Math.max(width, height) / PATCH_PIXELS) * PATCH_PIXELS;
    return (
      longSide <= maxSidePixels && coveringSquares({ width, height }, PATCH_PIXELS) <= maxTokens
    );
  }

  return (image) => {
    const size = imageSize(image);
    return size === undefined ? maxTokens : coveringSquares(largest(size, fits), PATCH_PIXELS);
  };
}

/** Finds the largest size of the same aspect that fits: its long side by halving. */
function largest(size: ImageSize, fits: (size: ImageSize) => boolean): ImageSize {
  if (fits(size)) return size;
  const longSide = Math.max(size.width, size.height);
  const aspect = longSide / Math.min(size.width, size.height);
  const sized = (pixels: number): ImageSize => ({
    width: pixels,
    height: Math.max(1, roundToEven(pixels / aspect)),
  });
  let fitting = 1;
  let tooLarge = Math.ceil(longSide);
  while (fitting + 1 < tooLarge) {
    const middle = Math.floor((fitting + tooLarge) / 2);
    if (fits(sized(middle))) fitting = middle;
    else tooLarge = middle;
  }
  return sized(fitting);
}

/** Rounds a half to the even neighbor, as the API does. */
function roundToEven(value: number): number {
  const floor = Math.floor(value);
  return value - floor === 0.5 ? floor + (floor % 2) : Math.round(value);
}
