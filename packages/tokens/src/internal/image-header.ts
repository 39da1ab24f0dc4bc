/*! Reads headers by image-size 2.1.0, MIT, Copyright © 2013-Present Aditya Yadav. */
import { GIF } from "image-size/types/gif";
import { HEIF } from "image-size/types/heif";
import { JPG } from "image-size/types/jpg";
import { PNG } from "image-size/types/png";
import { WEBP } from "image-size/types/webp";

import type { EncodedBytes } from "./encoded-bytes.ts";

/** In pixels, as the image is shown. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The formats that providers take; the last one also reads AVIF. */
const FORMATS = [PNG, JPG, GIF, WEBP, HEIF];

/** Profiles and previews may stand before the size. */
const HEADS = [2 ** 14, 2 ** 20];

/** From this orientation on, a camera was held upright: sides change places. */
const FIRST_TURNED = 5;

// The largest that an image of so many pixels can be: 16 bits in four channels, and its profiles.
const MOST_BYTES_PER_PIXEL = 8;
const MOST_OTHER_BYTES = 2 ** 20;

/**
 * Reads the size of an image from its first bytes. `undefined` if they tell none, or one that is too small for the bytes: an animation
 * without its frames, or a header that lies.
 */
export function imageHeader(image: EncodedBytes): ImageSize | undefined {
  for (const head of HEADS) {
    const size = sizeIn(image.bytes(0, head));
    if (size === undefined && head < image.length) continue;
    return size !== undefined && canHold(size, image.length) ? size : undefined;
  }
  return undefined;
}

function sizeIn(bytes: Uint8Array): ImageSize | undefined {
  try {
    const format = FORMATS.find(({ validate }) => validate(bytes));
    const { width = 0, height = 0, orientation = 1 } = format?.calculate(bytes) ?? {};
    if (!(width > 0 && height > 0)) return undefined;
    return orientation < FIRST_TURNED ? { width, height } : { width: height, height: width };
  } catch {
    return undefined; // cut off, or damaged
  }
}

function canHold({ width, height }: ImageSize, bytes: number): boolean {
  return bytes <= width * height * MOST_BYTES_PER_PIXEL + MOST_OTHER_BYTES;
}
