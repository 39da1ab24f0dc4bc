import type { ImageTokens } from "./image-tokens.ts";
import { bareModelName } from "./internal/bare-model-name.ts";
import { coveringSquares, fitWithin, type ImageSize, imageSize } from "./internal/image-size.ts";
import {
  openaiVisionRule,
  type PatchLimits,
  type PatchRule,
  type TileRule,
} from "./internal/openai-vision-rules.ts";

const TILE_PIXELS = 512;
const LONG_SIDE_PIXELS = 2048;
const SHORT_SIDE_PIXELS = 768;
const PATCH_PIXELS = 32;

/** A side of 2048 pixels is 4 tiles, one of 768 is 2. */
const MOST_TILES = 8;

/**
 * Counts images as OpenAI does: by tiles or by patches, as the model has it.
 *
 * Source: OpenAI, "Images and vision", "Calculating costs". A model that is not known yet counts by the rule of the newest.
 * `auto` and a missing detail count as the model's default. An image of unknown size counts as the largest: with
 * the newest models, which shrink nothing by default, that is 36,000 tokens, so give its size, or `detail: "high"`.
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
  const rule = openaiVisionRule(bareModelName(model));
  return (image) => {
    const { detail = "auto" } = image;
    const size = imageSize(image);
    return rule.kind === "tile"
      ? tileTokens(rule, detail === "low" ? 0 : tileCount(size))
      : patchTokens(rule, patchCount(size, rule.limits[detail]));
  };
}

function tileTokens(rule: TileRule, tiles: number): number {
  return rule.baseTokens + rule.tileTokens * tiles;
}

function patchTokens(rule: PatchRule, patches: number): number {
  return Math.ceil(patches * rule.multiplier);
}

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
  if (size === undefined) return maxPatches;
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
  const patches = pixels / PATCH_PIXELS;
  return Math.floor(patches) / patches;
}
