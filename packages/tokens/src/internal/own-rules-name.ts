import type { FilePart, ImagePart } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";

/** What replaces a counter's rules for images and files. */
export interface OwnCounts {
  readonly imageTokens?: ((image: ImagePart) => number) | undefined;
  readonly fileTokens?: ((file: FilePart) => number) | undefined;
}

/**
 * Names rules of the user's own, so that counts by other rules have another id: by the text of the functions, and by what they give for a few images
 * and files. Empty where there are none.
 */
export function ownRulesName({ imageTokens, fileTokens }: OwnCounts): string {
  if (imageTokens === undefined && fileTokens === undefined) return "";
  const images = imageTokens && [String(imageTokens), ...IMAGES.map(tried(imageTokens))];
  const files = fileTokens && [String(fileTokens), ...FILES.map(tried(fileTokens))];
  return `+${contentHash([images, files]).slice(0, 8)}`;
}

/** A function that fails on a sample is named without it; it fails where it counts. */
function tried<Part>(count: (part: Part) => number): (part: Part) => number | undefined {
  return (part) => {
    try {
      return count(part);
    } catch {
      return undefined;
    }
  };
}

const SOURCE = { kind: "url", url: "https://example.org/sample" } as const;
const IMAGES: readonly ImagePart[] = [
  { type: "image", source: SOURCE },
  { type: "image", source: SOURCE, width: 64, height: 64, detail: "low" },
  { type: "image", source: SOURCE, width: 1024, height: 768, detail: "high" },
  { type: "image", source: SOURCE, width: 4000, height: 3000, detail: "original" },
];
const FILES: readonly FilePart[] = [
  { type: "file", source: SOURCE },
  { type: "file", source: { kind: "text", text: "sample ".repeat(100) }, mediaType: "text/plain" },
  {
    type: "file",
    source: { kind: "data", base64: "AAAA".repeat(1000) },
    mediaType: "application/pdf",
  },
];
