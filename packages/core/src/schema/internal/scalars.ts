import * as z from "zod";

import { HistoryError } from "../../history-error.ts";

// All schemas stand on this module. A range of the peer would stop installs beside zod 3.
if (z.exactOptional === undefined) {
  throw new HistoryError(
    'Expected the package "zod" in version 4.3 or newer, which `@agent-history/core/schema` needs; an older one is installed. Run `npm install zod@4`.',
    { code: "MISSING_PACKAGE", details: { package: "zod", needs: ">=4.3" } },
  );
}

const NON_EMPTY = "Expected a non-empty string";
const COUNT = "Expected an integer of 0 or more";

/** Any text, the empty one too. */
export const text: z.ZodType<string> = z.string("Expected a string");

/** An id or a name. */
export const nonEmptyText: z.ZodType<string> = z.string(NON_EMPTY).min(1, NON_EMPTY);

/** An integer of 0 or more. JSON has no -0: it becomes 0. */
export const count: z.ZodType<number> = z.int(COUNT).min(0, COUNT).overwrite(unsignedZero);

/** Turns -0 into 0. */
export function unsignedZero(value: number): number {
  return value + 0;
}
