import * as fc from "fast-check";

/** Values at the edges of what checks of stored JSON take. */
const ODD: readonly unknown[] = [
  [null, true, 0, -0, -1, 1, 21, 1.5, 2 ** 53, "", "a", "keep", "edit", "agent-history"],
  [[], ["a"], ["a", 1], ["a", -1], ["a", 1, 2], [["a", [0]]], {}, { id: "a" }, { id: 1 }],
].flat();

/** Generates copies of JSON in which one value, anywhere, is replaced, removed or added. */
export function damagedJson(samples: readonly object[]): fc.Arbitrary<unknown> {
  const odd = fc.oneof(fc.constantFrom(...ODD), fc.jsonValue());
  const how = fc.constantFrom("replace", "remove", "add", "leave");
  return fc
    .tuple(fc.constantFrom(...samples), fc.nat(), odd, how)
    .map(([sample, at, value, way]) => {
      const changed = structuredClone(sample);
      const holders = holdersOf(changed);
      const [holder, key] = holders[at % holders.length] ?? [changed, "unknown"];
      if (way === "remove") Reflect.deleteProperty(holder, key);
      if (way === "replace") Reflect.set(holder, key, value);
      if (way === "add") Reflect.set(holder, "unknown", value);
      return changed;
    });
}

function holdersOf(value: unknown): (readonly [holder: object, key: string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [value, key] as const,
    ...holdersOf(inner),
  ]);
}
