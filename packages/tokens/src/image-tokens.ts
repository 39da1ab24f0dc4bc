import type { ImagePart } from "@agent-history/core";

import type { ImageSize } from "./internal/image-header.ts";
import { resolveModel } from "./internal/resolve-model.ts";

/** Returns the tokens of an image, a non-negative integer. */
export type ImageTokens = (image: ImagePart) => number;

/**
 * Counts images as OpenAI does: by tiles or by patches, depending on the model.
 *
 * Source: OpenAI, "Images and vision", "Calculating costs". Unknown models count by the rule of the newest.
 * `auto` and a missing detail count as the model's default. An image of unknown size counts as the largest one that was shrunk to 2,048 pixels: 3,000
 * tokens with the newest models, which by default shrink nothing.
 *
 * @example
 * ```ts
 * import { openaiImageTokens } from "@agent-history/tokens";
 *
 * const source = { kind: "url", url: "https://example.org/a.png" } as const;
 * const image = { type: "image", source, width: 1024, height: 1024 } as const;
 * openaiImageTokens("gpt-4o")(image);
 * // => 765
 * openaiImageTokens("gpt-5.4")(image);
 * // => 1229
 * ```
 */
export function openaiImageTokens(model: string): ImageTokens {
  const { bare } = resolveModel(model);
  return rules.find(([names]) => names.test(bare))?.[1] ?? newestRule;
}

/** The largest image that a model looks at without shrinking it. */
export type AnthropicResolution = "high" | "standard";

/**
 * Counts images as Anthropic does: one token for each square of 28 × 28 pixels, after the image was shrunk to the limits of the
 * model. An image of unknown size counts as the largest. Claude ignores `detail`.
 *
 * Source: Anthropic, "Vision", "Resolution and token cost", and "How Claude resizes and pads images". The rule of its older
 * pages, width × height / 750, is the same area without the edges.
 *
 * @param resolution - `high` (the default) for Claude 4.7 and later, `standard` for earlier models.
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
  const { maxSidePixels, maxTokens } = claudeLimits[resolution];

  const tokensOf = (size: ImageSize): number => coveringSquares(size, CLAUDE_PATCH_PIXELS);
  const fits = (size: ImageSize): boolean =>
    Math.ceil(Math.max(size.width, size.height) / CLAUDE_PATCH_PIXELS) * CLAUDE_PATCH_PIXELS <=
      maxSidePixels && tokensOf(size) <= maxTokens;

  return (image) => {
    const size = imageSize(image);
    return size === undefined ? maxTokens : tokensOf(largest(size, maxSidePixels, fits));
  };
}

/**
 * Counts images as Gemini 3 and later do: by resolution, independent of their size. Older Gemini models count 258 for each tile
 * of 768 pixels, which is usually less.
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
    // Source: Google, "Media resolution" of the Gemini API: low, ultra high and high, the default for images.
    if (detail === "low") return 280;
    return detail === "original" ? 2240 : 1120;
  };
}

const TILE_PIXELS = 512;
const LONG_SIDE_PIXELS = 2048;
const SHORT_SIDE_PIXELS = 768;
const PATCH_PIXELS = 32;

/** A side of 2048 pixels is 4 tiles, one of 768 is 2. */
const MOST_TILES = 8;

/** Within 2048 pixels; then, where the short side is longer, down to 768. */
function tileCount(size: ImageSize | undefined): number {
  if (size === undefined) return MOST_TILES;
  const within = fitWithin(size, LONG_SIDE_PIXELS);
  const scale = Math.min(1, SHORT_SIDE_PIXELS / Math.min(within.width, within.height));
  const scaled = {
    width: Math.floor(within.width * scale),
    height: Math.floor(within.height * scale),
  };
  return coveringSquares(scaled, TILE_PIXELS);
}

function patchCount(
  size: ImageSize | undefined,
  { maxSidePixels, maxPatches }: PatchLimits,
): number {
  if (size === undefined) return maxSidePixels > high.maxSidePixels ? high.maxPatches : maxPatches;
  const within = fitWithin(size, maxSidePixels);
  if (coveringSquares(within, PATCH_PIXELS) <= maxPatches) {
    return coveringSquares(within, PATCH_PIXELS);
  }
  const { width, height } = within;
  const shrink = Math.sqrt((PATCH_PIXELS ** 2 * maxPatches) / (width * height));
  const scale = shrink * Math.min(wholePart(width * shrink), wholePart(height * shrink));
  const scaled = { width: Math.floor(width * scale), height: Math.floor(height * scale) };
  return Math.min(maxPatches, Math.max(1, coveringSquares(scaled, PATCH_PIXELS)));
}

/** Tells how much of a side whole patches cover: the scale that makes it a multiple of a patch. */
function wholePart(pixels: number): number {
  const covered = pixels / PATCH_PIXELS;
  return Math.floor(covered) / covered;
}

/** How closely the model looks. */
type Detail = NonNullable<ImagePart["detail"]>;

/** What an image is shrunk to before it is cut into patches. */
interface PatchLimits {
  readonly maxSidePixels: number;
  readonly maxPatches: number;
}

// Source of all numbers below: OpenAI, "Images and vision", "Model sizing behavior" and "Calculating costs", read in
// November 2026.
const small = { maxSidePixels: 512, maxPatches: 256 };
const high = { maxSidePixels: 2048, maxPatches: 2500 };
const large = { maxSidePixels: 6000, maxPatches: 10_000 };
// No budget; but the API refuses an image of more than 30,000 patches.
const unlimited = { maxSidePixels: 65_535, maxPatches: 30_000 };
const wide = { maxSidePixels: 2048, maxPatches: 6144 };
// The budget of the first patch models, which no later page replaces for those that are deprecated.
const first = { maxSidePixels: 2048, maxPatches: 1536 };

/** The rule of the newest models, also for those that are not known yet. */
const newestRule = patches(1.2, { low: small, high, auto: unlimited, original: unlimited });

const rules: readonly (readonly [RegExp, ImageTokens])[] = [
  [/^gpt-5\.5/, patches(1.2, { low: small, high, auto: large, original: large })],
  [/^gpt-5\.4/, patches(1.2, { low: wide, high, auto: high, original: large })],
  [/^gpt-5\.[23]/, patches(1.2, everyDetail(wide))],
  [/^gpt-5\.1/, tiles(70, 140)],
  [/^gpt-5-mini/, patches(1.2, everyDetail(first))],
  [/^gpt-5-nano/, patches(1.5, everyDetail(first))],
  [/^gpt-5(?!\.)/, tiles(70, 140)],
  [/^gpt-4\.1-mini/, patches(1.62, everyDetail(wide))],
  [/^gpt-4\.1-nano/, patches(2.46, everyDetail(first))],
  [/^o4-mini/, patches(1.72, everyDetail(first))],
  [/^gpt-4o-mini/, tiles(2833, 5667)],
  [/^o[13]/, tiles(75, 150)],
  [/^(?:chatgpt-4o|gpt-4|gpt-3)/, tiles(85, 170)],
];

/** A base, and tokens for each tile of 512 pixels. */
function tiles(baseTokens: number, tileTokens: number): ImageTokens {
  return (image) => {
    const count = image.detail === "low" ? 0 : tileCount(imageSize(image));
    return baseTokens + tileTokens * count;
  };
}

/** Patches of 32 pixels, times a multiplier. */
function patches(multiplier: number, limits: Readonly<Record<Detail, PatchLimits>>): ImageTokens {
  return (image) => {
    const count = patchCount(imageSize(image), limits[image.detail ?? "auto"]);
    return Math.ceil(count * multiplier);
  };
}

function everyDetail(limits: PatchLimits): Readonly<Record<Detail, PatchLimits>> {
  return { low: limits, high: limits, auto: limits, original: limits };
}

const CLAUDE_PATCH_PIXELS = 28;

const claudeLimits = {
  high: { maxSidePixels: 2576, maxTokens: 4784 },
  standard: { maxSidePixels: 1568, maxTokens: 1568 },
} as const;

/** Finds the largest size of the same aspect that fits, with a long side of at most `most`. */
function largest(size: ImageSize, most: number, fits: (size: ImageSize) => boolean): ImageSize {
  const longSide = Math.max(size.width, size.height);
  const aspect = longSide / Math.min(size.width, size.height);
  let sized = size;
  for (let pixels = Math.min(Math.ceil(longSide) - 1, most); !fits(sized) && pixels > 0; pixels--) {
    sized = { width: pixels, height: Math.max(1, roundToEven(pixels / aspect)) };
  }
  return sized;
}

/** Rounds a half to the even neighbor, as the API does. */
function roundToEven(value: number): number {
  const floor = Math.floor(value);
  return value - floor === 0.5 ? floor + (floor % 2) : Math.round(value);
}

/** Returns the size of an image, where both sides are known; an impossible size is an unknown one. */
function imageSize({ width = 0, height = 0 }: ImagePart): ImageSize | undefined {
  return width > 0 && height > 0 && width < Infinity && height < Infinity
    ? { width, height }
    : undefined;
}

/** Shrinks a size, keeping its aspect, until neither side passes `maxSide`; sides are rounded to whole pixels. */
function fitWithin({ width, height }: ImageSize, maxSide: number): ImageSize {
  const scale = Math.min(1, maxSide / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}

/** Counts the squares of `side` pixels that cover an image. */
function coveringSquares({ width, height }: ImageSize, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side);
}
