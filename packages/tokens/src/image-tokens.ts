import type { ImagePart } from "@agent-history/core";

/** Counts what an image adds to a request: an integer of 0 or more. An image of unknown size counts as the largest. */
export type ImageTokens = (image: ImagePart) => number;
