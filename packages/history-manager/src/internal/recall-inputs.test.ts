import { isDeepStrictEqual } from "node:util";

import { validCopy } from "@agent-history/core/schema";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { damagedJson } from "../../test-support/damaged-json.ts";
import { expandInput, readInput, searchInput } from "./recall-inputs.ts";
import type { RecallInput } from "./recall-inputs.ts";

const schemas = {
  search: z.object({
    query: z.string().min(1).describe("Words to look for"),
    limit: z.int().min(1).max(20).optional().describe("Most results, default 5"),
  }),
  read: z.object({
    id: z.string().min(1).describe("An id as a result, a placeholder or a source mark gives it"),
    from: z.int().min(0).optional().describe("First character to read, default 0"),
  }),
  expand: z.object({
    id: z.string().min(1).optional().describe("The id of the summary"),
    from: z.int().min(0).optional().describe("How many entries to skip, default 0"),
  }),
};

const inputs: readonly (readonly [string, RecallInput<unknown>, z.ZodType])[] = [
  ["search", any(searchInput), schemas.search],
  ["read", any(readInput), schemas.read],
  ["expand", any(expandInput), schemas.expand],
];

function any<Input>({ parameters, check }: RecallInput<Input>): RecallInput<unknown> {
  return { parameters, check };
}

describe.each(inputs)("the arguments of %s", (_name, { parameters, check }, schema) => {
  it("are described to the byte as zod would describe them", () => {
    const { $schema: _, ...described } = z.toJSONSchema(schema);

    expect(JSON.stringify(parameters())).toBe(JSON.stringify(described));
    expect(parameters()).not.toBe(parameters());
  });

  it("are taken where zod would take them, and mean the same", () => {
    const samples = [
      { query: "a", limit: 20 },
      { query: "a", limit: undefined },
      { id: "a", from: 0 },
      {},
    ];
    fc.assert(
      fc.property(fc.oneof(damagedJson(samples), fc.jsonValue()), (given) => {
        const parsed = schema.safeParse(given);
        const copy = validCopy(check, given);
        expect(copy !== undefined).toBe(parsed.success);
        if (copy === undefined) return;
        const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
        expect(isDeepStrictEqual(asJson(copy), asJson(parsed.data))).toBe(true);
      }),
      { numRuns: lawRuns(500) },
    );
  });
});
