import type { Source } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryId } from "../arbitrary-id.ts";
import { arbitraryText } from "../arbitrary-text.ts";
import type { TextConstraints } from "../arbitrary-text.ts";
import { arbitraryFields } from "./arbitrary-fields.ts";

/** Generates numbered pieces of evidence. */
export function arbitrarySource(text: TextConstraints): fc.Arbitrary<Source> {
  return arbitraryFields(
    "some",
    { number: fc.nat({ max: 99 }), id: arbitraryId(), text: arbitraryText(text) },
    {
      title: fc.constantFrom("Guide", "A [b] (c)", ""),
      uri: fc.constantFrom("docs/guide.md#L10-L14", "https://example.com/?q=a b", ""),
    },
  );
}

/** Generates evidence whose numbers and ids are unique; a number may skip some. */
export function arbitraryEvidence(text: TextConstraints): fc.Arbitrary<readonly Source[]> {
  return fc
    .uniqueArray(arbitrarySource(text), { maxLength: 5, selector: (source) => source.id })
    .map((sources) =>
      sources.map((source, index) => ({ ...source, number: index * 4 + (source.number % 4) })),
    );
}
