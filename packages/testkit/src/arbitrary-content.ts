import type { Content, ContentPart, MediaSource } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryText } from "./arbitrary-text.ts";
import type { TextConstraints } from "./arbitrary-text.ts";
import {
  arbitraryFields,
  arbitraryJsonObject,
  arbitraryJsonValue,
} from "./internal/arbitrary-parts.ts";

/**
 * Generates contents: mostly text, sometimes parts of every kind (text, image, file, reasoning, opaque), none included.
 * Shrinks to the empty text.
 *
 * @example
 * ```ts
 * import { arbitraryContent } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * fc.sample(arbitraryContent(), 200).some((content) => typeof content !== "string");
 * // => true
 * ```
 */
export function arbitraryContent(constraints: TextConstraints = {}): fc.Arbitrary<Content> {
  const text = arbitraryText(constraints);
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: text },
    { weight: 1, arbitrary: fc.array(arbitraryPart(text), { maxLength: 4 }) },
  );
}

function arbitraryPart(text: fc.Arbitrary<string>): fc.Arbitrary<ContentPart> {
  const extra = { extra: arbitraryJsonObject };
  return fc.oneof(
    arbitraryFields("some", { type: fc.constant("text"), text }, extra),
    arbitraryFields("some", { type: fc.constant("image"), source }, { ...extra, ...imageFields }),
    arbitraryFields("some", { type: fc.constant("file"), source }, { ...extra, ...fileFields }),
    arbitraryFields(
      "some",
      { type: fc.constant("reasoning"), text },
      { ...extra, data: arbitraryJsonValue },
    ),
    arbitraryFields("some", { type: fc.constant("opaque"), data: arbitraryJsonValue }, extra),
  );
}

const source: fc.Arbitrary<MediaSource> = fc.constantFrom<MediaSource[]>(
  { kind: "id", id: "file-1" },
  { kind: "url", url: "https://example.com/a.png" },
  { kind: "data", base64: "iVBORw0KGgo=" },
  { kind: "data", base64: "" },
  { kind: "text", text: "Notes of the day." },
);

const pixels: fc.Arbitrary<number> = fc.integer({ min: 1, max: 4096 });

const imageFields: {
  readonly mediaType: fc.Arbitrary<string>;
  readonly width: fc.Arbitrary<number>;
  readonly height: fc.Arbitrary<number>;
  readonly detail: fc.Arbitrary<"low" | "high" | "auto" | "original">;
} = {
  mediaType: fc.constantFrom("image/png", "image/jpeg"),
  width: pixels,
  height: pixels,
  detail: fc.constantFrom("low", "high", "auto", "original"),
};

const fileFields: {
  readonly mediaType: fc.Arbitrary<string>;
  readonly name: fc.Arbitrary<string>;
} = {
  mediaType: fc.constantFrom("application/pdf", "text/plain"),
  name: fc.constantFrom("report.pdf", "notes ü.txt", ""),
};
