import type { JsonObject } from "@agent-history/core";
import * as z from "zod/mini";

/**
 * What a model passes to a tool: as JSON Schema, new at each call, and the check of the same. SDKs parse arguments first, and may pass on what is
 * left out as `undefined`.
 */
export interface RecallInput<Input> {
  readonly parameters: () => JsonObject;
  readonly check: z.ZodMiniType<Input>;
}

interface SearchArguments {
  readonly query: string;
  readonly limit?: number | undefined;
}

interface ReadArguments {
  readonly id: string;
  readonly from?: number | undefined;
}

interface ExpandArguments {
  readonly id?: string | undefined;
  readonly from?: number | undefined;
}

const nonEmptyText = { type: "string", minLength: 1 } as const;
const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const WORD = "Expected a non-empty string";
const word = z.string(WORD).check(z.minLength(1, WORD));
const place = z
  .int("Expected an integer of 0 or more")
  .check(z.minimum(0, "Expected an integer of 0 or more"));
const LIMIT = "Expected an integer of 1 to 20";
const limitCheck = z.int(LIMIT).check(z.minimum(1, LIMIT), z.maximum(20, LIMIT));

/** What to look for. */
export const searchInput: RecallInput<SearchArguments> = {
  parameters: () => ({
    type: "object",
    properties: {
      query: { ...nonEmptyText, description: "Words to look for" },
      limit: {
        description: "Most results, default 5",
        type: "integer",
        minimum: 1,
        maximum: 20,
      },
    },
    required: ["query"],
    additionalProperties: false,
  }),
  check: z.object(
    {
      query: word,
      limit: z.optional(limitCheck),
    },
    "Expected an object",
  ),
};

/** Which entry, and from where on. */
export const readInput: RecallInput<ReadArguments> = {
  parameters: () => ({
    type: "object",
    properties: {
      id: {
        ...nonEmptyText,
        description: "An id as a result, a placeholder or a source mark gives it",
      },
      from: { description: "First character to read, default 0", ...count },
    },
    required: ["id"],
    additionalProperties: false,
  }),
  check: z.object(
    {
      id: word,
      from: z.optional(place),
    },
    "Expected an object",
  ),
};

/** Which summary, and from which of its entries on. */
export const expandInput: RecallInput<ExpandArguments> = {
  parameters: () => ({
    type: "object",
    properties: {
      id: { description: "The id of the summary", ...nonEmptyText },
      from: { description: "How many entries to skip, default 0", ...count },
    },
    additionalProperties: false,
  }),
  check: z.object(
    {
      id: z.optional(word),
      from: z.optional(place),
    },
    "Expected an object",
  ),
};
