import type * as fc from "fast-check";

import type { Arbitraries } from "./arbitrary-fields.ts";
import { arbitraryFields } from "./arbitrary-fields.ts";

/** Generates plain objects with these fields. */
export function arbitraryRecord<Fields extends object>(
  fields: Arbitraries<Fields>,
): fc.Arbitrary<Fields> {
  return arbitraryFields<Fields>("none", fields, {});
}
