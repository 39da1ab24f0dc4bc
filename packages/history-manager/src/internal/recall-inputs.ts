import type { JsonObject } from "@agent-history/core";
import {
  countCheck,
  integerCheck,
  nonEmptyTextCheck,
  optionalField,
  recordCheck,
} from "@agent-history/core/stored-form";
import type { Check } from "@agent-history/core/stored-form";

/** What a model passes to a tool: as JSON Schema, new at each call, and the check of the same. */
export interface RecallInput<Input> {
  readonly parameters: () => JsonObject;
  readonly check: Check<Input>;
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
const limitCheck = integerCheck({ least: 1, most: 20, message: "Expected an integer of 1 to 20" });

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
  check: recordCheck<SearchArguments>({
    query: nonEmptyTextCheck,
    limit: optionalField(orUndefined(limitCheck)),
  }),
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
  check: recordCheck<ReadArguments>({
    id: nonEmptyTextCheck,
    from: optionalField(orUndefined(countCheck)),
  }),
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
  check: recordCheck<ExpandArguments>({
    id: optionalField(orUndefined(nonEmptyTextCheck)),
    from: optionalField(orUndefined(countCheck)),
  }),
};

/** SDKs parse arguments first, and may pass on what is left out as `undefined`. */
function orUndefined<Value>(check: Check<Value>): Check<Value | undefined> {
  return (value, refusal) => (value === undefined ? undefined : check(value, refusal));
}
