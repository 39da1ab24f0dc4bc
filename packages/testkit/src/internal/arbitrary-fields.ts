import * as fc from "fast-check";

/** Which optional fields are set: every one, some of them, none. */
export type OptionalFields = "all" | "some" | "none";

/** The arbitrary of each field. */
export type Arbitraries<Fields> = { readonly [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> };

/** Generates plain objects that have the required fields, and of the optional ones as many as `which` says. */
export function arbitraryFields<Required extends object, Optional extends object = object>(
  which: OptionalFields,
  required: Arbitraries<Required>,
  optional: Arbitraries<Optional>,
): fc.Arbitrary<Required & Partial<Optional>>;
// The body knows no names of fields; `fc.record` keeps to those it is given.
export function arbitraryFields(
  which: OptionalFields,
  required: Arbitraries<Record<string, unknown>>,
  optional: Arbitraries<Record<string, unknown>>,
): fc.Arbitrary<object> {
  const model = which === "none" ? required : { ...required, ...optional };
  const requiredKeys = Object.keys(which === "all" ? model : required);
  return fc.record(model, { noNullPrototype: true, requiredKeys });
}
