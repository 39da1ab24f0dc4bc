import type { ToolCall } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryId } from "../arbitrary-id.ts";
import { arbitraryText } from "../arbitrary-text.ts";
import type { TextConstraints } from "../arbitrary-text.ts";
import { arbitraryFields } from "./arbitrary-fields.ts";
import { arbitraryJsonObject } from "./arbitrary-json-object.ts";

/** Generates names of tools. */
export const arbitraryToolName: fc.Arbitrary<string> = fc.constantFrom(
  "search",
  "read_file",
  "list files",
  "mcp__docs__get-page",
  "__proto__",
);

/** Generates calls; the arguments are JSON of an object, malformed JSON, or any text. */
export function arbitraryToolCall(
  text: TextConstraints,
  id: fc.Arbitrary<string> = arbitraryId(),
): fc.Arbitrary<ToolCall> {
  return arbitraryFields(
    "some",
    {
      id,
      name: arbitraryToolName,
      arguments: fc.oneof(
        { weight: 3, arbitrary: arbitraryJsonObject.map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: fc.constantFrom("", "{", '{"query":"a') },
        { weight: 1, arbitrary: arbitraryText(text) },
      ),
    },
    { kind: fc.constantFrom("function", "custom", "approval"), extra: arbitraryJsonObject },
  );
}
