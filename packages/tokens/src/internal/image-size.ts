import type { ImagePart } from "@agent-history/core";

/** In pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Returns the size of an image, where both sides are known; an impossible size is an unknown one. */
export function imageSize({ width = 0, height = 0 }: ImagePart): ImageSize | undefined {
  return width > 0 && height > 0 && width < Infinity && height < Infinity
    ? { width, height }
    : undefined;
}

/** Shrinks a size, keeping its aspect, until neither side passes `maxSide`; sides are rounded to whole pixels. */
export function fitWithin({ width, height }: ImageSize, maxSide: number): ImageSize {
  const scale = Math.min(1, maxSide / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}

/** Counts the squares of `side` pixels that cover an image. */
export function coveringSquares({ width, height }: ImageSize, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side);
}
