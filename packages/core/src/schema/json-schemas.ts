import * as z from "zod";

import type { JsonObject, JsonValue } from "../json.ts";
import { noRefusal, REFUSED } from "../stored-form/checks/check.ts";
import type { Check } from "../stored-form/checks/check.ts";
import { jsonObjectCheck, jsonValueCheck } from "../stored-form/checks/json-checks.ts";

/**
 * Accepts any JSON value and gives a frozen copy. Every key survives, `__proto__` too; -0, which JSON cannot write,
 * becomes 0. Refuses what JSON would change or lose (`undefined`, `NaN`, a `Date`, an instance of a class), and what
 * is nested deeper than `MAX_JSON_DEPTH`, which a cycle always is.
 */
export const jsonValueSchema: z.ZodType<JsonValue> = schemaOf(jsonValueCheck);

/** Accepts a JSON object; otherwise as {@link jsonValueSchema}. */
export const jsonObjectSchema: z.ZodType<JsonObject> = schemaOf(jsonObjectCheck);

function schemaOf<Json>(check: Check<Json>): z.ZodType<Json> {
  return z.unknown().transform((value, context) => {
    const refusal = noRefusal();
    const copy = check(value, refusal);
    if (copy !== REFUSED) return copy;
    context.addIssue({ code: "custom", message: refusal.message });
    return z.NEVER;
  });
}
